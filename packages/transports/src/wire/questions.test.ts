import type { ElicitationRequest, JsonObject } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { call, lastId, openWire } from "../../test/open-wire.ts";
import { createElicitor, type Elicitor } from "./elicitor.ts";
import { createServerContext } from "../../test/server-context.ts";

const params = { mode: "form", message: "Who?", requestedSchema: { type: "object", properties: {} } };
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A wire whose human never answers. */
function openQuestioned({ maxPauseMs = 900_000, isReady = true }: { maxPauseMs?: number; isReady?: boolean } = {}) {
  const asked: AbortSignal[] = [];
  const requests: ElicitationRequest[] = [];
  let elicitor: Elicitor | undefined;
  const opened = openWire(
    {},
    {
      isReady,
      maxPauseMs,
      elicitor: { ask: (...question) => elicitor?.ask(...question) ?? Promise.reject(new Error()) },
    },
  );
  const { settings } = createServerContext();
  elicitor = createElicitor({ ...opened.context, settings }, (request, signal) => {
    asked.push(signal);
    requests.push(request);
    return new Promise(() => undefined);
  });
  const ask = (id: number, relatedId?: number): void =>
    opened.host.onmessage?.({ jsonrpc: "2.0", id, method: "elicitation/create", params }, relatedId);
  const answerTo = (id: number): JsonObject | undefined =>
    opened.host.sent.find(({ message }) => message["id"] === id && message["method"] === undefined)?.message;
  return { ...opened, asked, requests, ask, answerTo };
}

describe("a server that keeps asking", () => {
  it("stops the time of a call for its share alone, and then the call ends by its deadline", async () => {
    const { wire, clock, ask, asked } = openQuestioned({ maxPauseMs: 10_000 });
    const calling = wire.request(call({ timeoutMs: 1000 }));
    let ended = false;
    calling.catch(() => (ended = true));
    clock.advance(500);
    for (let id = 100; id < 364; id += 1) ask(id);
    for (let second = 0; second < 10; second += 1) {
      clock.advance(1000);
      ask(400 + second);
      await turn();
    }
    expect(ended).toBe(false);
    clock.advance(500);
    await expect(calling).rejects.toMatchObject({ code: "call_timeout", outcome: "unknown" });
    expect(asked.length).toBeLessThanOrEqual(16);
    await turn();
    expect(asked.every(({ aborted }) => aborted)).toBe(true);
    expect(clock.pending()).toBe(0);
  });

  it("is told to cancel what is too much, with one diagnostic", async () => {
    const { wire, clock, ask, asked, answerTo, diagnostics, host } = openQuestioned();
    const calling = wire.request(call());
    const id = lastId(host);
    for (let question = 100; question < 130; question += 1) ask(question);
    await turn();
    expect(asked).toHaveLength(16);
    expect(answerTo(116)).toMatchObject({ result: { action: "cancel" } });
    expect(diagnostics.map(({ kind }) => kind)).toEqual(["elicitation-refused"]);
    host.receive({ jsonrpc: "2.0", id, result: {} });
    await calling;
    await turn();
    expect(clock.pending()).toBe(0);
  });

  it("gets nobody asked before the handshake is over", async () => {
    const { ask, asked, answerTo, diagnostics, wire } = openQuestioned({ isReady: false });
    ask(1);
    await turn();
    expect(asked).toEqual([]);
    expect(answerTo(1)).toMatchObject({ error: { code: -32_600 } });
    expect(diagnostics).toMatchObject([{ kind: "elicitation-refused" }]);
    wire.setProtocolVersion("2025-11-25");
    ask(2);
    expect(asked).toHaveLength(1);
  });
});

describe("a question", () => {
  it("is over when all requests are that were under way when it came, and the server is told", async () => {
    const { wire, host, ask, asked, answerTo, clock } = openQuestioned();
    const first = wire.request(call());
    const firstId = lastId(host);
    const second = wire.request(call());
    const secondId = lastId(host);
    ask(100);
    const later = wire.request(call({ timeoutMs: 60_000 }));
    host.receive({ jsonrpc: "2.0", id: firstId, result: {} });
    await first;
    expect(asked.map(({ aborted }) => aborted)).toEqual([false]);
    host.receive({ jsonrpc: "2.0", id: secondId, error: { code: 1, message: "no" } });
    await expect(second).rejects.toMatchObject({ code: "server_error" });
    expect(asked.map(({ aborted }) => aborted)).toEqual([true]);
    await turn();
    expect(answerTo(100)).toMatchObject({ result: { action: "cancel" } });
    // The time of the other call goes on.
    clock.advance(60_000);
    await expect(later).rejects.toMatchObject({ code: "call_timeout" });
  });

  it("that came on the exchange of one request is over with that one, and too late after it", async () => {
    const { wire, host, ask, asked, answerTo } = openQuestioned();
    const first = wire.request(call());
    const firstId = Number(lastId(host));
    void wire.request(call()).catch(() => undefined);
    ask(100, firstId);
    host.receive({ jsonrpc: "2.0", id: firstId, result: {} });
    await first;
    expect(asked.map(({ aborted }) => aborted)).toEqual([true]);
    ask(101, firstId);
    await turn();
    expect(asked).toHaveLength(1);
    expect(answerTo(101)).toMatchObject({ result: { action: "cancel" } });
  });

  it("out of the blue is put to a human, and outlives requests that came after it", async () => {
    const { wire, host, ask, asked } = openQuestioned();
    ask(100);
    const calling = wire.request(call());
    host.receive({ jsonrpc: "2.0", id: lastId(host), result: {} });
    await calling;
    expect(asked.map(({ aborted }) => aborted)).toEqual([false]);
  });
});

describe("a question on a connection that several conversations share", () => {
  const of = (conversation: string, more = {}) => call({ callContext: { conversation, ...more }, timeoutMs: 1000 });

  it("is nobody's where two principals have a conversation of one name at work", async () => {
    const { wire, ask, asked, answerTo } = openQuestioned();
    for (const principal of ["ada", "bob"]) void wire.request(of("1", { principal })).catch(() => undefined);
    ask(100);
    await turn();
    expect(asked).toEqual([]);
    expect(answerTo(100)).toMatchObject({ result: { action: "cancel" } });
  });

  it("reaches nobody where it is not known whose it is, and the server is told to cancel", async () => {
    const { wire, ask, asked, answerTo, diagnostics } = openQuestioned();
    for (const conversation of ["a", "b"]) void wire.request(of(conversation)).catch(() => undefined);
    ask(100);
    await turn();
    expect(asked).toEqual([]);
    expect(answerTo(100)).toMatchObject({ result: { action: "cancel" } });
    expect(diagnostics).toMatchObject([
      { kind: "elicitation-refused", message: expect.stringContaining('sharing: "conversation"') },
    ]);
  });

  it("is of the conversation whose request it came with, whose time alone stands still", async () => {
    const { wire, host, ask, requests, clock } = openQuestioned();
    const first = wire.request(of("a"));
    const firstId = Number(lastId(host));
    const second = wire.request(of("b"));
    const unnamed = wire.request(call({ timeoutMs: 1000 }));
    for (const request of [first, unnamed]) request.catch(() => undefined);
    ask(100, firstId);
    expect(requests).toMatchObject([{ context: { conversation: "a" } }]);
    clock.advance(1000);
    await expect(second).rejects.toMatchObject({ code: "call_timeout" });
    clock.advance(60_000);
    host.receive({ jsonrpc: "2.0", id: firstId, result: {} });
    await expect(first).resolves.toEqual({});
    clock.advance(1000);
    await expect(unnamed).rejects.toMatchObject({ code: "call_timeout" });
    expect(clock.pending()).toBe(0);
  });

  it("is of the only conversation at work, listings aside, and says only what all its calls have in common", async () => {
    const { wire, host, ask, requests, clock } = openQuestioned();
    const done = wire.request(of("b"));
    host.receive({ jsonrpc: "2.0", id: lastId(host), result: {} });
    await done;
    void wire.request(call({ method: "tools/list", toolName: undefined })).catch(() => undefined);
    void wire.request(of("a", { principal: "ada", correlationId: "1" })).catch(() => undefined);
    ask(100);
    void wire.request(of("a", { principal: "ada", correlationId: "2" })).catch(() => undefined);
    ask(101);
    expect(requests.map(({ context }) => context)).toEqual([
      { conversation: "a", principal: "ada", correlationId: "1" },
      { conversation: "a", principal: "ada" },
    ]);
    clock.advance(3_600_000);
  });

  it("out of the blue reaches nobody when there were several of them", async () => {
    const { wire, host, ask, asked, diagnostics } = openQuestioned();
    for (const conversation of ["a", "b"]) {
      const calling = wire.request(of(conversation));
      host.receive({ jsonrpc: "2.0", id: lastId(host), result: {} });
      await calling;
    }
    ask(100);
    await turn();
    expect([asked.length, diagnostics.length]).toEqual([0, 1]);
  });
});
