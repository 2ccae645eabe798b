import type { Diagnostic } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { MessageReader } from "./message-reader.ts";

function open(init: Pick<ConstructorParameters<typeof MessageReader>[0], "onDiagnostic" | "redact">) {
  const unreachable = (): never => expect.unreachable();
  const reader = new MessageReader({
    serverId: "a",
    maxMessageBytes: 10_000_000,
    maxMessageValues: 1000,
    onMessage: unreachable,
    onRequestFailed: unreachable,
    onEndless: unreachable,
    ...init,
  });
  return (line: string): void => reader.push(Buffer.from(`${line}\n`));
}

describe("the report of stray lines", () => {
  it("reports ten lines, then each power of ten, and counts them all", () => {
    const reported: Diagnostic[] = [];
    const push = open({
      redact: (text) => text,
      onDiagnostic: (diagnostic) => reported.push(diagnostic),
    });
    for (let line = 1; line <= 12_345; line += 1) push(`line ${line}`);
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
    const push = open({
      redact: (text) => text.replaceAll("hunter2", "[redacted]"),
      onDiagnostic: ({ message }) => reported.push(message),
    });
    push(`\u001B]0;title\u0007hun\u001B[1mter2 ${"x".repeat(1_000_000)}`);
    expect(reported[0]).toContain('"[redacted]');
    expect(reported[0]?.length).toBeLessThan(400);
  });
});
