import type { JsonObject } from "@hostside/core";
import { describe, expect, it, vi } from "vitest";
import type { Elicitor } from "./elicitor.ts";
import { call, lastId, openWire } from "../../test/open-wire.ts";

type Ask = Elicitor["ask"];

const question = { mode: "form", message: "Who?", requestedSchema: { type: "object", properties: {} } };

describe("what a legacy server asks", () => {
  it("is answered when it is a ping, whatever its id is", async () => {
    const { host } = openWire();
    for (const id of [0, "a"]) host.receive({ jsonrpc: "2.0", id, method: "ping" });
    await vi.waitFor(() => expect(host.sent).toHaveLength(2), 60_000);
    expect(host.sent.map(({ message }) => message)).toEqual([
      { jsonrpc: "2.0", id: 0, result: {} },
      { jsonrpc: "2.0", id: "a", result: {} },
    ]);
  });

  it("goes to the elicitor when it is an elicitation, and its answer goes back", async () => {
    const ask = vi.fn<Ask>(async () => ({ action: "decline" }));
    const { host } = openWire({}, { elicitor: { ask } });
    host.receive({ jsonrpc: "2.0", id: 7, method: "elicitation/create", params: question });
    await vi.waitFor(() => expect(host.sent).toHaveLength(1), 60_000);
    expect(ask).toHaveBeenCalledExactlyOnceWith(question, { signal: expect.any(AbortSignal), tally: undefined });
    expect(host.sent[0]?.message).toEqual({ jsonrpc: "2.0", id: 7, result: { action: "decline" } });
  });

  it.each([
    { name: "something without a message", params: { requestedSchema: {} } },
    { name: "a form without fields", params: { message: "Who?" } },
    { name: "a page without an address", params: { message: "Go.", mode: "url" } },
    { name: "a mode that nobody knows", params: { ...question, mode: "mime" } },
    { name: "nothing", params: undefined },
  ])("is refused with -32602 when it is to elicit $name", async ({ params }) => {
    const ask = vi.fn<Ask>();
    const { host } = openWire({}, { elicitor: { ask } });
    host.receive({ jsonrpc: "2.0", id: 7, method: "elicitation/create", params });
    await vi.waitFor(() => expect(host.sent).toHaveLength(1), 60_000);
    expect(host.sent[0]?.message).toMatchObject({ id: 7, error: { code: -32_602 } });
    expect(ask).not.toHaveBeenCalled();
  });

  it.each(["elicitation/create", "roots/list", "sampling/createMessage"])(
    "is refused with -32601 when it is %s and nobody offered that",
    async (method) => {
      const { host } = openWire();
      host.receive({ jsonrpc: "2.0", id: 7, method, params: question });
      await vi.waitFor(() => expect(host.sent).toHaveLength(1), 60_000);
      expect(host.sent[0]?.message).toMatchObject({ id: 7, error: { code: -32_601 } });
    },
  );

  it("is at most 32 requests at once; one more is refused", async () => {
    const answers: ((result: JsonObject) => void)[] = [];
    const ask: Ask = () => new Promise((resolve) => answers.push(resolve));
    const { host } = openWire({}, { elicitor: { ask } });
    const elicit = (id: number): void =>
      host.receive({ jsonrpc: "2.0", id, method: "elicitation/create", params: question });
    for (let id = 0; id < 33; id += 1) elicit(id);
    await vi.waitFor(() => expect(host.sent).toHaveLength(1), 60_000);
    expect(host.sent[0]?.message).toMatchObject({ id: 32, error: { code: -32_603 } });
    answers[0]?.({ action: "cancel" });
    await vi.waitFor(() => expect(host.sent).toHaveLength(2), 60_000);
    elicit(33);
    expect(answers).toHaveLength(33);
  });

  it("is at most 32 also when the server takes its requests back and asks again under their ids", async () => {
    const signals: AbortSignal[] = [];
    const ask: Ask = (_params, { signal }) => {
      signals.push(signal);
      return new Promise((resolve) => signal.addEventListener("abort", () => setImmediate(resolve, {})));
    };
    const { host } = openWire({}, { elicitor: { ask } });
    for (let turn = 0; turn < 100; turn += 1) {
      host.receive({ jsonrpc: "2.0", id: 1, method: "elicitation/create", params: question });
      host.receive({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
    }
    expect(signals).toHaveLength(32);
    // By then those who worked on them have stopped.
    for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    host.receive({ jsonrpc: "2.0", id: 1, method: "elicitation/create", params: question });
    host.receive({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
    host.receive({ jsonrpc: "2.0", id: 1, method: "elicitation/create", params: question });
    await new Promise((resolve) => setImmediate(resolve));
    expect(signals.at(-1)?.aborted).toBe(false);
    host.die();
    expect(signals.every(({ aborted }) => aborted)).toBe(true);
  });

  it("is refused no more than 32 times at once, by a server that does not take the refusals", async () => {
    const sent: unknown[] = [];
    const { wire, host } = openWire();
    host.send = (message) => {
      sent.push(message);
      return new Promise(() => undefined);
    };
    for (let id = 0; id < 2000; id += 1) host.receive({ jsonrpc: "2.0", id, method: "ping" });
    await new Promise((resolve) => setImmediate(resolve));
    expect(sent).toHaveLength(64);
    host.die();
    await expect(wire.notify("x", undefined)).rejects.toMatchObject({ outcome: "not-sent" });
  });

  it("is answered with an error, and told, when a human's answer is no JSON", async () => {
    const ask: Ask = async () => ({ action: "accept", content: { count: 5n } }) as never;
    const { host, diagnostics } = openWire({}, { elicitor: { ask } });
    host.receive({ jsonrpc: "2.0", id: 7, method: "elicitation/create", params: question });
    await vi.waitFor(() => expect(host.sent).toHaveLength(1), 60_000);
    expect(host.sent[0]?.message).toMatchObject({ id: 7, error: { code: -32_603 } });
    expect(diagnostics).toMatchObject([{ kind: "protocol-anomaly", message: expect.stringContaining("JSON") }]);
  });

  it("is asked once when a stream that is resumed plays it again after its answer", async () => {
    const ask = vi.fn<Ask>(async () => ({ action: "decline" }));
    const { host } = openWire({ hasPerRequestStream: true }, { elicitor: { ask } });
    const elicit = async (id: number | string): Promise<void> => {
      host.receive({ jsonrpc: "2.0", id, method: "elicitation/create", params: question });
      await new Promise((resolve) => setImmediate(resolve));
    };
    for (const id of [7, "7", 7, "7"]) await elicit(id);
    expect([ask.mock.calls.length, host.sent.length]).toEqual([2, 2]);
    host.receive({ jsonrpc: "2.0", id: 7, method: "ping" });
    await vi.waitFor(() => expect(host.sent).toHaveLength(3), 60_000);
    // The server does not have the answer to this one.
    const send = host.send.bind(host);
    host.send = () => Promise.reject(new Error("down"));
    await elicit(8);
    host.send = send;
    for (let turn = 0; turn < 2; turn += 1) await elicit(8);
    expect([ask.mock.calls.length, host.sent.length]).toEqual([4, 4]);
    // A hundred are remembered.
    for (let id = 100; id < 200; id += 1) await elicit(id);
    await elicit(199);
    expect(ask).toHaveBeenCalledTimes(104);
    await elicit(7);
    expect(ask).toHaveBeenCalledTimes(105);
  });

  it("is asked again under an id that a server uses for each of its calls", async () => {
    for (const isHttp of [false, true]) {
      const ask = vi.fn<Ask>(async () => ({ action: "decline" }));
      const { wire, host } = openWire({ hasPerRequestStream: isHttp }, { elicitor: { ask } });
      for (let turn = 0; turn < 2; turn += 1) {
        const calling = wire.request(call());
        const id = Number(lastId(host));
        const message = { jsonrpc: "2.0", id: "q", method: "elicitation/create", params: question };
        host.onmessage?.(message, isHttp ? id : undefined);
        await new Promise((resolve) => setImmediate(resolve));
        host.receive({ jsonrpc: "2.0", id, result: {} });
        await calling;
      }
      expect(ask).toHaveBeenCalledTimes(2);
    }
  });

  it("is given up when the server takes it back, and when the connection ends", async () => {
    const signals: AbortSignal[] = [];
    const ask: Ask = (_params, { signal }) =>
      new Promise((resolve) => {
        signals.push(signal);
        signal.addEventListener("abort", () => resolve({ action: "cancel" }));
      });
    const { host } = openWire({}, { elicitor: { ask } });
    for (const id of [1, 2]) host.receive({ jsonrpc: "2.0", id, method: "elicitation/create", params: question });
    host.receive({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    host.die();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(host.sent).toEqual([]);
  });

  it("is refused on 2026-07-28, which has no such requests, but for a ping", async () => {
    const { wire, host } = openWire();
    wire.setProtocolVersion("2026-07-28");
    host.receive({ jsonrpc: "2.0", id: 1, method: "ping" });
    host.receive({ jsonrpc: "2.0", id: 2, method: "elicitation/create", params: { message: "x" } });
    await vi.waitFor(() => expect(host.sent).toHaveLength(2), 60_000);
    expect(host.sent.map(({ message }) => message)).toEqual([
      { jsonrpc: "2.0", id: 1, result: {} },
      { jsonrpc: "2.0", id: 2, error: { code: -32_601, message: "Method not found" } },
    ]);
  });

  it("is nothing at all on 2026-07-28 over HTTP", async () => {
    const { wire, host } = openWire({ hasPerRequestStream: true });
    wire.setProtocolVersion("2026-07-28");
    host.receive({ jsonrpc: "2.0", id: 1, method: "ping" });
    await new Promise((resolve) => setImmediate(resolve));
    expect(host.sent).toEqual([]);
  });

  it("may be answered by a transport that fails: that is told elsewhere", async () => {
    const { host } = openWire();
    host.failSends(new Error("gone"));
    host.receive({ jsonrpc: "2.0", id: 1, method: "ping" });
    await new Promise((resolve) => setImmediate(resolve));
    expect(host.sent).toEqual([]);
  });
});
