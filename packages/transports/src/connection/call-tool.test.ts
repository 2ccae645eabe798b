import { HostsideError, type CallOptions, type JsonObject } from "@hostside/core";
import { describe, expect, it, vi } from "vitest";
import { useManualClock } from "../../../../test/manual-clock.ts";
import type { OutgoingRequest } from "../message/outgoing-request.ts";
import { callTool, Cooldown } from "./connection.ts";
import type { Elicitor } from "../wire/elicitor.ts";
import { createServerContext } from "../../test/server-context.ts";

const asks: JsonObject = {
  resultType: "input_required",
  inputRequests: { q: { method: "elicitation/create", params: { message: "?" } } },
  requestState: "opaque+/=\u00E9",
};
const done: JsonObject = { resultType: "complete", content: [] };

describe("callTool()", () => {
  it("sends name, arguments and _meta beside them, and nothing else", async () => {
    const { call, sent } = open([done]);
    await call({ a: 1 }, { meta: { trace: "x" } });
    expect(sent[0]?.params).toEqual({ name: "search", arguments: { a: 1 }, _meta: { trace: "x" } });
  });

  it("resolves with the very object that the server sent", async () => {
    const result = {
      content: [{ type: "later-kind", x: 1 }],
      structuredContent: null,
      isError: true,
      _meta: { a: 1 },
      extra: 2,
    };
    const { call } = open([result], { isModern: false });
    await expect(call()).resolves.toBe(result);
  });

  it.each([
    { name: "a type of result", result: { resultType: `a ${"x".repeat(50)} s3cret-token` } },
    {
      name: "an input to ask for",
      result: { resultType: "input_required", inputRequests: { a: { method: "s3cret-token" } } },
    },
  ])("does not quote a secret that the server echoes as $name", async ({ result }) => {
    const { call } = open([result]);
    await expect(call()).rejects.toMatchObject({ message: expect.not.stringContaining("s3c") });
  });

  it.each([
    {
      name: "a type that is no result, in the handshake era",
      result: { resultType: "task", taskId: "t1" },
      isModern: false,
    },
    { name: "a question as a result, in the handshake era", result: { resultType: "input_required" }, isModern: false },
    { name: "a task that was not asked for", result: { task: { taskId: "t1", status: "working" } }, isModern: false },
    { name: "what is no result of a tool", result: { ok: true }, isModern: false },
    { name: "a result of unknown type", result: { resultType: "task", content: [] }, isModern: true },
    { name: "a result of no sensible type", result: { resultType: 7, content: [] }, isModern: true },
  ])("rejects with protocol_error, outcome unknown, for $name", async ({ result, isModern }) => {
    const { call } = open([result], { isModern });
    await expect(call()).rejects.toMatchObject({ code: "protocol_error", outcome: "unknown", toolName: "search" });
  });

  it.each([
    { name: "without content", result: { structuredContent: 1 }, isModern: false },
    { name: "without a type, on 2026-07-28", result: { content: [] }, isModern: true },
    { name: "with content that is no array", result: { content: "text" }, isModern: false },
    { name: "with nothing at all", result: {}, isModern: false },
  ])("takes a result $name", async ({ result, isModern }) => {
    await expect(open([result], { isModern }).call()).resolves.toBe(result);
  });

  it("asks for input, and sends the call again with the answers and the state, byte for byte", async () => {
    const { call, sent, ask } = open([asks, done]);
    await expect(call({ a: 1 }, { meta: { trace: "x" } })).resolves.toBe(done);
    expect(ask).toHaveBeenCalledExactlyOnceWith({ message: "?" }, expect.objectContaining({ tally: { asked: 0 } }));
    expect(sent[1]?.params).toEqual({
      name: "search",
      arguments: { a: 1 },
      _meta: { trace: "x" },
      inputResponses: { q: { action: "accept", content: {} } },
      requestState: "opaque+/=\u00E9",
    });
  });

  it("sends no state and no answers of an earlier round", async () => {
    const { call, sent, clock } = open([asks, { resultType: "input_required", requestState: "two" }, done]);
    const calling = call();
    await vi.waitFor(() => expect(clock.pending()).toBe(1), 60_000);
    clock.advance(250);
    await calling;
    expect(sent[2]?.params).toEqual({ name: "search", arguments: {}, requestState: "two" });
  });

  it("gives up after ten rounds", async () => {
    const { call, sent } = open(Array.from({ length: 20 }, () => asks));
    await expect(call()).rejects.toMatchObject({ code: "input_required", outcome: "failed" });
    expect(sent).toHaveLength(11);
  });

  it.each([
    { name: "nobody is there to answer", result: asks, elicitor: undefined },
    { name: "it says neither what it needs nor where it was", result: { resultType: "input_required" } },
    {
      name: "it wants a model's answer",
      result: { ...asks, inputRequests: { s: { method: "sampling/createMessage" } } },
    },
    {
      name: "it wants too much at once",
      result: { ...asks, inputRequests: Object.fromEntries(Array.from({ length: 17 }, (_, n) => [n, {}])) },
    },
  ])("rejects with input_required when $name", async ({ result, ...members }) => {
    const { call, sent } = open([result], members);
    await expect(call()).rejects.toMatchObject({ code: "input_required", outcome: "failed", toolName: "search" });
    expect(sent).toHaveLength(1);
  });

  it("has one deadline for all rounds, the human's time not counted", async () => {
    const { call, sent, clock, pauses } = open([asks, done], {
      elicitor: {
        ask: async () => {
          const resume = pauses().begin(undefined);
          clock.advance(5000);
          resume();
          clock.advance(100);
          return { action: "decline" };
        },
      },
    });
    await call({}, { timeoutMs: 1000 });
    expect(sent.map(({ timeoutMs }) => timeoutMs)).toEqual([1000, 900]);
  });

  it("does not stand still for longer than elicitTotalMs, however many questions there are", async () => {
    const within: (number | undefined)[] = [];
    const { call, sent, clock, pauses } = open([asks, asks, asks, done], {
      elicitor: {
        ask: async (_params, { withinMs }) => {
          within.push(withinMs);
          const resume = pauses().begin(undefined);
          clock.advance(400_000);
          resume();
          return { action: "decline" };
        },
      },
    });
    await call({}, { timeoutMs: 350_000 });
    expect(within).toEqual([1_250_000, 850_000, 450_000]);
    expect(sent.map(({ timeoutMs }) => timeoutMs)).toEqual([350_000, 350_000, 350_000, 50_000]);
  });

  it("asks for another listing when the server wants other headers (-32020)", async () => {
    const refusal = new HostsideError("no", { code: "server_error", details: { rpcCode: -32_020 } });
    const { call, onToolsChanged } = open([refusal]);
    await expect(call()).rejects.toMatchObject({ code: "server_error", outcome: "failed", retryable: true });
    expect(onToolsChanged).toHaveBeenCalledOnce();
  });

  it("leaves a server alone for as long as it asked for", async () => {
    const refusal = new HostsideError("HTTP 429", { code: "rate_limited", details: { retryAfterMs: 3000 } });
    const { call, sent, clock } = open([refusal, done, refusal, done]);
    await expect(call()).rejects.toBe(refusal);
    clock.advance(1000);
    await expect(call()).rejects.toMatchObject({
      code: "rate_limited",
      outcome: "not-sent",
      retryable: true,
      toolName: "search",
      details: { retryAfterMs: 2000 },
    });
    expect(sent).toHaveLength(1);
    clock.advance(2000);
    await expect(call()).resolves.toBe(done);
    await expect(call()).rejects.toBe(refusal);
    expect(sent).toHaveLength(3);
  });

  it("leaves no server alone because of what somebody else asked for, such as an authorization server", async () => {
    const details = { retryAfterMs: 3000 };
    const { call } = open([
      new HostsideError("HTTP 429", { code: "rate_limited", outcome: "not-sent", details }),
      done,
    ]);
    await expect(call()).rejects.toMatchObject({ code: "rate_limited" });
    await expect(call()).resolves.toBe(done);
  });

  it("goes on at once after a refusal that names no time", async () => {
    const { call } = open([new HostsideError("HTTP 429", { code: "rate_limited" }), done]);
    await expect(call()).rejects.toMatchObject({ code: "rate_limited", outcome: "failed" });
    await expect(call()).resolves.toBe(done);
  });

  it("says failed, not not-sent, when a later round could not be sent", async () => {
    const { call } = open([asks, new HostsideError("gone", { code: "unreachable", outcome: "not-sent" })]);
    await expect(call()).rejects.toMatchObject({ code: "unreachable", outcome: "failed" });
  });
});

function open(
  answers: readonly (JsonObject | HostsideError)[],
  members: { readonly isModern?: boolean; readonly elicitor?: Elicitor | undefined } = {},
) {
  const clock = useManualClock();
  const sent: OutgoingRequest[] = [];
  const onToolsChanged = vi.fn<() => void>();
  const ask = vi.fn<Elicitor["ask"]>(async () => ({ action: "accept", content: {} }));
  const context = createServerContext({ redact: (text) => text.replaceAll("s3cret-token", "[redacted]") });
  const init = {
    context,
    isModern: true,
    tasks: false,
    elicitor: { ask },
    headersFor: () => undefined,
    onToolsChanged,
    cooldown: new Cooldown(context),
    liveness: { answered: () => undefined, failed: () => undefined },
    closing: new AbortController(),
    ...members,
    channel: {
      request: async (request: OutgoingRequest) => {
        const answer = answers[sent.length];
        sent.push(request);
        if (answer instanceof HostsideError || answer === undefined) throw answer ?? new Error("no more answers");
        return answer;
      },
      notify: async () => undefined,
      close: async () => undefined,
    },
  };
  const call = (args: JsonObject = {}, options: CallOptions = {}) =>
    callTool(init, { toolName: "search", args, options });
  return { call, sent, ask, onToolsChanged, clock, pauses: () => context.pauses };
}
