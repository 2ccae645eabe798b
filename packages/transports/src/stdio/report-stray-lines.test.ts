import type { Diagnostic } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { createStrayLineReport } from "./message-reader.ts";

describe("createStrayLineReport()", () => {
  it("reports ten lines, then each power of ten, and counts them all", () => {
    const reported: Diagnostic[] = [];
    const anomalies = createStrayLineReport({
      serverId: "a",
      redact: (text) => text,
      onDiagnostic: (diagnostic) => reported.push(diagnostic),
    });
    for (let line = 1; line <= 12_345; line += 1) anomalies.add("not JSON", `line ${line}`);
    expect(reported.map(({ message }) => /line (\d+)"/.exec(message)?.[1])).toEqual([
      "1",
      "2",
      "3",
      "4",
      "5",
      "6",
      "7",
      "8",
      "9",
      "10",
      "100",
      "1000",
      "10000",
    ]);
    expect(reported.every(({ kind, serverId }) => kind === "stdout-anomaly" && serverId === "a")).toBe(true);
  });

  it("quotes a bounded, clean and redacted piece of the line", () => {
    const reported: string[] = [];
    const anomalies = createStrayLineReport({
      serverId: "a",
      redact: (text) => text.replaceAll("hunter2", "[redacted]"),
      onDiagnostic: ({ message }) => reported.push(message),
    });
    anomalies.add("not JSON", `\u001B]0;title\u0007hun\u001B[1mter2 ${"x".repeat(1_000_000)}`);
    expect(reported[0]).toContain('"[redacted]');
    expect(reported[0]?.length).toBeLessThan(400);
  });
});
