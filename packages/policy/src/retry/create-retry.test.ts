import type { CallHandler, ToolCall, ToolEffect, ToolOutcome } from "@hostside/core";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { answerOk, callOf, createStageWorld, failureOf, rejectionOf, settle } from "../../test/stage-world.ts";
import { createRetry, type RetryOptions } from "./create-retry.ts";

function setUp(options: RetryOptions = {}) {
  const world = createStageWorld();
  const stage = createRetry(options, world.parts);
  const layers = [stage];
  const tries: { readonly at: number; readonly call: ToolCall }[] = [];
  return {
    ...world,
    stage,
    tries,
    /** A call that fails so, try by try, and succeeds after that. */
    call: (
      failures: readonly Error[],
      init: Parameters<typeof callOf>[0] & { readonly effect?: ToolEffect } = {},
    ): Promise<ToolOutcome> => {
      const handler: CallHandler = async (call) => {
        const failure = failures[tries.push({ at: world.clock.now(), call }) - 1];
        if (failure === undefined) return answerOk(call);
        throw failure;
      };
      const { effect, ...rest } = init;
      return world.send(callOf({ ...rest, ...(effect && { definition: { effect } }) }), layers, handler);
    },
    /** Lets time pass until nothing is left to happen. */
    run: async <T>(work: Promise<T>): Promise<T> => {
      let isOver = false;
      void work.then(
        () => (isOver = true),
        () => (isOver = true),
      );
      for (let turn = 0; turn < 50; turn += 1) {
        await settle();
        if (isOver) break;
        world.clock.advanceToNext();
      }
      return work;
    },
  };
}

const unreachable = (): Error => failureOf("unreachable");

beforeEach(() => void vi.spyOn(Math, "random").mockReturnValue(0.5));
afterEach(() => void vi.restoreAllMocks());

describe("createRetry()", () => {
  it("tries again after 200 ms, then after twice as long, what provably did not run, whatever its effect", async () => {
    const { call, run, tries, events, clock } = setUp();
    const outcome = await run(call([unreachable(), unreachable()], { effect: "external" }));
    expect(outcome.isError).toBe(false);
    expect(tries.map(({ at }) => at)).toEqual([0, 200, 600]);
    expect(events).toMatchObject([
      { type: "applied", stage: "retry", reason: "tries again 200 ms after unreachable (try 2 of 3)" },
      { type: "applied", stage: "retry", reason: "tries again 400 ms after unreachable (try 3 of 3)" },
    ]);
    expect(clock.pending).toBe(0);
  });

  it("spreads its waits by a fifth at random", async () => {
    for (const [random, waited] of [
      [0, 160],
      [0.999_999, 240],
    ] as const) {
      const world = createStageWorld();
      vi.spyOn(Math, "random").mockReturnValue(random);
      const interceptor = createRetry({ attempts: 2 }, world.parts);
      void rejectionOf(world.send(callOf(), [interceptor], () => Promise.reject(failureOf("unreachable"))));
      await settle();
      // The call's own time is the other timer.
      expect(Math.round(world.clock.nextAt ?? 0)).toBe(waited);
    }
  });

  it("gives up with the last error, which says how often it was tried and the least that is known", async () => {
    const { call, run, tries } = setUp();
    const failures = [failureOf("connection_closed"), unreachable(), failureOf("unreachable")];
    const error = await rejectionOf(run(call(failures, { effect: "pure" })));
    expect(error).toMatchObject({
      code: "unreachable",
      outcome: "unknown",
      retryable: false,
      details: { attempts: 3 },
    });
    expect(tries).toHaveLength(3);
  });

  const runsAgain: readonly (readonly [ToolEffect, RetryOptions, boolean])[] = [
    ["pure", {}, true],
    ["idempotent-write", {}, false],
    ["idempotent-write", { idempotencyMetaKey: "com.example/key" }, true],
    ["non-idempotent-write", { idempotencyMetaKey: "com.example/key" }, false],
    ["external", { idempotencyMetaKey: "com.example/key" }, false],
  ];
  it.each(runsAgain)("once it may have run, tries %s with %j again: %s", async (effect, options, again) => {
    for (const code of ["connection_closed", "call_timeout", "server_exited", "session_expired"] as const) {
      const { call, run, tries } = setUp(options);
      const given = { context: { idempotencyKey: "k1" } };
      await run(call([failureOf(code, { outcome: "unknown" })], { effect, options: given })).catch(() => {});
      expect(tries, code).toHaveLength(again ? 2 : 1);
    }
  });

  it("does not try an idempotent write again that has no key, nor one without a declared effect", async () => {
    const { call, run, tries } = setUp({ idempotencyMetaKey: "com.example/key" });
    await rejectionOf(run(call([failureOf("connection_closed")], { effect: "idempotent-write" })));
    await rejectionOf(run(call([failureOf("connection_closed"), failureOf("connection_closed")])));
    expect(tries).toHaveLength(2);
  });

  it("sends the key with each try, beside what the caller sends, and with no call of another effect", async () => {
    const { call, run, tries } = setUp({ idempotencyMetaKey: "com.example/key" });
    const options = { context: { idempotencyKey: "k1" }, meta: { mine: 1 } };
    await run(call([failureOf("connection_closed")], { effect: "idempotent-write", options }));
    expect(tries.map((one) => one.call.options.meta)).toEqual([
      { mine: 1, "com.example/key": "k1" },
      { mine: 1, "com.example/key": "k1" },
    ]);
    await run(call([], { effect: "external", options }));
    expect(tries[2]?.call.options.meta).toEqual({ mine: 1 });
  });

  it.each([
    ["approval_denied", undefined],
    ["approval_required", undefined],
    ["call_refused", undefined],
    ["not_allowed", undefined],
    ["tool_quarantined", undefined],
    ["circuit_open", "breaker"],
    ["budget_exceeded", "budget"],
    ["rate_limited", "pace"],
    ["overloaded", "places"],
    ["aborted", undefined],
    ["invalid_arguments", undefined],
    ["unknown_tool", undefined],
  ] as const)("never tries %s again that this host refused, pure or not", async (code, policy) => {
    const { call, run, tries } = setUp();
    const refused = failureOf(code, { outcome: "not-sent", details: policy === undefined ? {} : { policy } });
    await expect(run(call([refused], { effect: "pure" }))).rejects.toMatchObject({ code });
    expect(tries).toHaveLength(1);
  });

  it.each([
    ["an error of JSON-RPC", failureOf("server_error")],
    ["a result that is not what was promised", failureOf("invalid_output")],
    ["HTTP 400", failureOf("http_error", { outcome: "failed", details: { httpStatus: 400 } })],
    ["missing credentials", failureOf("auth_required")],
  ])("does not try again after %s: the answer would be the same", async (_, failure) => {
    const { call, run, tries } = setUp();
    await rejectionOf(run(call([failure], { effect: "pure" })));
    expect(tries).toHaveLength(1);
  });

  it("does not try again what the tool itself says has failed", async () => {
    const { stage, send } = setUp();
    let tries = 0;
    const failing = async (call: ToolCall): Promise<ToolOutcome> => {
      tries += 1;
      return { ...(await answerOk(call)), isError: true };
    };
    await send(callOf({ definition: { effect: "pure" } }), [stage], failing);
    expect(tries).toBe(1);
  });

  it("waits as long as a server asks, but not longer than the call has", async () => {
    const { call, run, tries } = setUp();
    const busy = failureOf("http_error", { details: { httpStatus: 503, retryAfterMs: 5000 } });
    await run(call([busy], { effect: "pure" }));
    expect(tries.map(({ at }) => at)).toEqual([0, 5000]);

    const short = setUp();
    const error = await rejectionOf(short.call([busy], { effect: "pure", options: { timeoutMs: 4000 } }));
    expect(error.code).toBe("http_error");
    expect(short.clock.now()).toBe(0);
  });

  it("has one deadline over all tries: 100 ms are 100 ms, however many tries fit", async () => {
    const world = createStageWorld();
    const interceptor = createRetry({ attempts: 3 }, world.parts, 10);
    const given: (number | undefined)[] = [];
    // As a provider does: no longer than is left, and `call_timeout` then.
    const slow = (call: ToolCall): Promise<ToolOutcome> =>
      new Promise((_, reject) => {
        const leftMs = Math.min(call.options.timeoutMs ?? Infinity, call.options.deadline?.remainingMs() ?? Infinity);
        given.push(leftMs);
        world.clock.schedule(Math.min(60, leftMs), () => reject(failureOf("call_timeout")));
      });
    let endedAt = 0;
    const failed = rejectionOf(
      world.send(callOf({ options: { timeoutMs: 100 }, definition: { effect: "pure" } }), [interceptor], slow),
    ).finally(() => (endedAt = world.clock.now()));
    for (let turn = 0; turn < 20; turn += 1) {
      await settle();
      world.clock.advanceToNext();
    }
    expect((await failed).code).toBe("call_timeout");
    expect(endedAt).toBe(100);
    expect(given).toEqual([100, 30]);
  });

  it("ends a wait at once when the call is aborted, and leaves no timer", async () => {
    const { call, clock, tries } = setUp();
    const abort = new AbortController();
    const failed = rejectionOf(
      call([failureOf("connection_closed")], { effect: "pure", options: { signal: abort.signal } }),
    );
    await settle();
    abort.abort(new Error("enough"));
    expect(await failed).toMatchObject({ code: "aborted", outcome: "unknown" });
    await settle();
    expect(clock.pending).toBe(0);
    expect(tries).toHaveLength(1);
  });

  it("does not believe a layer further in that says of a call which ran that it was not sent", async () => {
    const { stage, send, clock } = setUp();
    let runs = 0;
    const late = async (call: ToolCall, next: CallHandler): Promise<ToolOutcome> => {
      await next(call);
      throw failureOf("overloaded", { outcome: "not-sent" });
    };
    const failed = rejectionOf(
      send(callOf(), [stage, late], (call) => {
        runs += 1;
        return answerOk(call);
      }),
    );
    await settle();
    clock.advance(1000);
    expect(await failed).toMatchObject({ code: "overloaded", outcome: "unknown" });
    expect(runs).toBe(1);
  });

  it.each<[string, unknown]>([
    ['retry has no option "retries"', { retries: 3 }],
    ["retry.attempts", { attempts: 0 }],
    ["retry.idempotencyMetaKey", { idempotencyMetaKey: "progressToken" }],
    ["retry.idempotencyMetaKey", { idempotencyMetaKey: "" }],
  ])("throws a TypeError at construction: %s", (message, options) => {
    const { parts } = createStageWorld();
    expect(() => createRetry(options as RetryOptions, parts)).toThrow(TypeError);
    expect(() => createRetry(options as RetryOptions, parts)).toThrow(message);
  });
});
