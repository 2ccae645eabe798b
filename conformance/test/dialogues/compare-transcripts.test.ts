import { expect, it } from "vitest";
import { compareTranscripts } from "./compare-transcripts.ts";
import { transcribe } from "./transcript.ts";
import type { WireMessage } from "./wire-message.ts";

const request = (id: number, method: string, params: object = {}): WireMessage => ({
  from: "client",
  message: { jsonrpc: "2.0", id, method, params: { ...params } },
});
const result = (id: number): WireMessage => ({ from: "server", message: { jsonrpc: "2.0", id, result: {} } });

it("compares what ids stand for, and not the ids", () => {
  const one = transcribe([request(1, "tools/call"), result(1)]);
  const other = transcribe([request(77, "tools/call"), result(77)]);
  expect(compareTranscripts(one, other)).toEqual([]);
});

it("sees that a cancellation names another request", () => {
  const cancel = (requestId: number): WireMessage => ({
    from: "client",
    message: { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } },
  });
  const one = transcribe([request(1, "a"), request(2, "b"), cancel(1)]);
  const other = transcribe([request(5, "a"), request(6, "b"), cancel(6)]);
  expect(compareTranscripts(one, other)).toEqual([
    "client: notifications/cancelled: params requestId: <a #1>, theirs <b #1>",
  ]);
});

it("sees a message too many, a value, a header and the order", () => {
  const one = transcribe([
    request(1, "a", { deep: { x: 1 } }),
    request(2, "b"),
    { from: "client", http: { line: "GET", headers: { accept: "x" } } },
  ]);
  const other = transcribe([
    request(1, "b"),
    request(2, "a", { deep: { x: 2 } }),
    { from: "client", http: { line: "GET", headers: {} } },
  ]);
  expect(compareTranscripts(one, other)).toEqual([
    "client: a: params deep x: 1, theirs 2",
    "client: GET: header accept: x, theirs absent",
    'client: the order is ["a","b"], theirs ["b","a"]',
  ]);
  expect(compareTranscripts(one, transcribe([request(1, "a", { deep: { x: 1 } })]))).toEqual([
    "client sends b: 1, theirs 0",
    "client sends GET: 1, theirs 0",
  ]);
});

it("sees that the server answered with an error", () => {
  const failed: WireMessage = { from: "server", message: { jsonrpc: "2.0", id: 1, error: { code: -1 } } };
  const [one, other] = [transcribe([request(1, "a"), result(1)]), transcribe([request(1, "a"), failed])];
  expect(compareTranscripts(one, other)).toEqual([
    "server sends result of a: 1, theirs 0",
    "server sends error of a: 0, theirs 1",
  ]);
});
