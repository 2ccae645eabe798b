import { describe, expect, it } from "vitest";
import { acceptAnswer, acceptAny, acceptUnsolicited } from "./message-parser.ts";

function createSink() {
  const delivered: unknown[] = [];
  const anomalies: string[] = [];
  return {
    delivered,
    anomalies,
    sink: {
      deliver: (message: unknown) => void delivered.push(message),
      onAnomaly: (text: string) => void anomalies.push(text),
    },
  };
}

const answer = { jsonrpc: "2.0", id: 7, result: {} };
const notification = { jsonrpc: "2.0", method: "notifications/progress" };

describe("acceptAnswer()", () => {
  it("delivers the answer, and says so", () => {
    const { sink, delivered } = createSink();
    expect(acceptAnswer(answer, 7, { sink })).toBe(true);
    expect(delivered).toEqual([answer]);
  });

  it("delivers notifications and requests of the server, which are no answer, whatever their id", () => {
    const { sink, delivered } = createSink();
    const request = { jsonrpc: "2.0", id: 7, method: "ping" };
    expect([acceptAnswer(notification, 7, { sink }), acceptAnswer(request, 7, { sink })]).toEqual([false, false]);
    expect(delivered).toEqual([notification, request]);
  });

  it.each([{ ...answer, id: 8 }, { ...answer, id: null }, { jsonrpc: "2.0", result: {} }, "text", 5, null, []])(
    "takes %j for no answer",
    (json) => {
      const { sink, delivered } = createSink();
      expect(acceptAnswer(json, 7, { sink })).toBe(false);
      expect(delivered).toEqual([]);
    },
  );

  it.each([
    [
      { jsonrpc: "2.0", id: "7", result: { ok: 1 } },
      { jsonrpc: "2.0", id: 7, result: { ok: 1 } },
    ],
    [
      { jsonrpc: "2.0", id: null, error: { code: 1 } },
      { jsonrpc: "2.0", id: 7, error: { code: 1 } },
    ],
    [
      { jsonrpc: "2.0", error: { code: 1 } },
      { jsonrpc: "2.0", id: 7, error: { code: 1 } },
    ],
  ])("puts the id of the request into %j", (json, expected) => {
    const { sink, delivered } = createSink();
    expect(acceptAnswer(json, 7, { sink })).toBe(true);
    expect(delivered).toEqual([expected]);
  });

  it("finds the answer in a batch of 2025-03-26, and delivers what else is in there", () => {
    const { sink, delivered, anomalies } = createSink();
    expect(acceptAnswer([notification, 5, answer], 7, { sink })).toBe(true);
    expect([delivered, anomalies]).toEqual([[notification, answer], ["JSON that is no message"]]);
  });
});

describe("acceptUnsolicited() and acceptAny()", () => {
  it("lets answers pass only where they may come", () => {
    const strict = createSink();
    acceptUnsolicited([notification, answer], strict.sink);
    const open = createSink();
    acceptAny([notification, answer, 5], open);
    expect([strict.delivered, strict.anomalies]).toEqual([[notification], ["an answer to another request"]]);
    expect([open.delivered, open.anomalies]).toEqual([[notification, answer], ["JSON that is no message"]]);
  });
});
