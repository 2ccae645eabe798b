import { describe, expect, it } from "vitest";
import type { OutgoingRequest } from "../message/outgoing-request.ts";
import { toRequestMessage } from "./rpc-messages.ts";

const envelope = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" };
const request: OutgoingRequest = {
  method: "tools/call",
  params: { name: "search", arguments: { text: "a" } },
  timeoutMs: 1000,
  timeoutCode: "call_timeout",
};

describe("toRequestMessage()", () => {
  it("sends params as they are where nothing goes along", () => {
    expect(toRequestMessage(7, request, undefined)).toEqual({
      jsonrpc: "2.0",
      id: 7,
      method: "tools/call",
      params: request.params,
    });
    const withMeta = { ...request, params: { ...request.params, _meta: { trace: "1" } } };
    expect(toRequestMessage(7, withMeta, undefined)["params"]).toEqual(withMeta.params);
  });

  it.each([
    { name: "a legacy request with a limit on silence", own: undefined, modern: undefined, idleMs: 100 },
    { name: "a legacy request with a _meta of its own", own: { trace: "1" }, modern: undefined, idleMs: 100 },
    { name: "a modern request", own: undefined, modern: envelope, idleMs: undefined },
    { name: "a modern request with a _meta of its own", own: { trace: "1" }, modern: envelope, idleMs: undefined },
    { name: "a modern one with everything", own: { trace: "1" }, modern: envelope, idleMs: 100 },
  ])("gives $name the _meta that it needs, and leaves what it was given as it is", ({ own, modern, idleMs }) => {
    const params = { ...request.params, ...(own && { _meta: own }) };
    const given = structuredClone(params);
    const message = toRequestMessage(7, { ...request, params, idleMs }, modern);
    const meta = { ...modern, ...own, ...(idleMs !== undefined && { progressToken: 7 }) };
    expect(message["params"]).toEqual({ ...request.params, _meta: meta });
    expect(params).toEqual(given);
  });

  it("asks for progress under its id where somebody waits for it, whatever token it was given", () => {
    const params = { ...request.params, _meta: { progressToken: "theirs" } };
    const message = toRequestMessage(7, { ...request, params, onProgress: () => {} }, undefined);
    expect(message["params"]).toEqual({ ...request.params, _meta: { progressToken: 7 } });
  });

  it("lets what a request says of itself count more than the connection's", () => {
    const [name] = Object.keys(envelope);
    const params = { ...request.params, _meta: { [`${name}`]: "other" } };
    expect(toRequestMessage(7, { ...request, params }, envelope)["params"]).toEqual(params);
  });
});
