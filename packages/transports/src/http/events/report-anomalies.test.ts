import { describe, expect, it } from "vitest";
import { createAnomalyReport } from "./message-parser.ts";

describe("createAnomalyReport()", () => {
  it("tells of the first ten, then ever more seldom, with a count", () => {
    const messages: string[] = [];
    const report = createAnomalyReport({
      serverId: "web",
      onDiagnostic: ({ kind, message }) => messages.push(`${kind}: ${message}`),
    });
    for (let n = 0; n < 1500; n += 1) report("an event that is no JSON");
    expect(messages).toHaveLength(12);
    expect(messages[0]).toBe('protocol-anomaly: server "web" sent an event that is no JSON; it was skipped');
    expect(messages.slice(10).map((message) => /\((\d+) such/.exec(message)?.[1])).toEqual(["100", "1000"]);
  });
});
