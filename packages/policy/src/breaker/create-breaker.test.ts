import fc from "fast-check";
import type { CallHandler, Interceptor, ToolOutcome, HostsideError } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { test } from "../../../../test/property-test.ts";
import {
  answerOk,
  behindSeam,
  callOf,
  createStageWorld,
  failureOf,
  lastOfEach,
  rejectionOf,
  settle,
} from "../../test/stage-world.ts";
import { createBreaker, type BreakerOptions } from "./create-breaker.ts";

type Init = Parameters<typeof callOf>[0];

function setUp(options: BreakerOptions = {}) {
  const world = createStageWorld();
  const stage = createBreaker(options, world.parts);
  const layers: readonly Interceptor[] = [
    stage.interceptor,
    (call, next) => behindSeam({ requestSeam: stage.seam }, next)(call),
  ];
  const send = (init: Init, handler: CallHandler): Promise<ToolOutcome> => world.send(callOf(init), layers, handler);
  const fail = (error: () => unknown = () => failureOf("connection_closed"), init?: Init): Promise<HostsideError> =>
    rejectionOf(send(init, () => Promise.reject(error())));
  const statuses = () => lastOfEach(world.events).filter(({ type }) => type !== "circuit-closed");
  return {
    ...world,
    stage: { ...stage, statuses },
    send,
    fail,
    call: (init?: Init) => send(init, answerOk),
    failTimes: async (times: number, init?: Init): Promise<void> => {
      for (let time = 0; time < times; time += 1) await fail(undefined, init);
    },
  };
}

const states = { "circuit-opened": "open", "circuit-half-opened": "half-open", "circuit-closed": "closed" } as const;
const stateOf = ({ statuses }: ReturnType<typeof setUp>["stage"]) => states[statuses()[0]?.type ?? "circuit-closed"];

describe("createBreaker()", () => {
  it("forgets the circuit that was used longest ago where there are too many", async () => {
    const { call, failTimes, stage } = setUp({ per: "tool", failures: 2 });
    await failTimes(1, { toolName: "used" });
    await failTimes(2, { toolName: "refused" });
    for (let at = 0; at < 9998; at += 1) await call({ toolName: `t${at}` });
    await failTimes(1, { toolName: "used" });
    await rejectionOf(call({ toolName: "refused" }));
    for (const toolName of ["one", "more"]) await call({ toolName });
    expect(stage.statuses().map(({ toolName }) => toolName)).toEqual(["refused", "used"]);
  });

  it("opens for 10 s after 5 failures in a row, and refuses at once with circuit_open", async () => {
    const { call, failTimes, stage, clock, events, fail } = setUp();
    await failTimes(4);
    await call();
    await failTimes(4);
    expect(stateOf(stage)).toBe("closed");
    await fail();
    expect(stateOf(stage)).toBe("open");
    expect(events).toMatchObject([{ type: "circuit-opened", serverId: "s", openMs: 10_000 }]);
    clock.advance(2500);
    const error = await rejectionOf(call());
    expect(error).toMatchObject({
      code: "circuit_open",
      outcome: "not-sent",
      details: { policy: "breaker", retryAfterMs: 7500 },
    });
    clock.advance(7499);
    await expect(call()).rejects.toMatchObject({ details: { retryAfterMs: 1 } });
  });

  it("closes after two probes that went well, one at a time", async () => {
    const { call, send, failTimes, stage, clock, eventTypes } = setUp();
    await failTimes(5);
    clock.advance(10_000);
    let answer = (): void => {};
    const probe = send({}, async (given) => {
      await new Promise<void>((resolve) => (answer = resolve));
      return answerOk(given);
    });
    await settle();
    expect(stateOf(stage)).toBe("half-open");
    await expect(call()).rejects.toMatchObject({ code: "circuit_open" });
    answer();
    await probe;
    expect(stateOf(stage)).toBe("half-open");
    await call();
    expect(stateOf(stage)).toBe("closed");
    expect(eventTypes()).toEqual(["circuit-opened", "circuit-half-opened", "refused", "circuit-closed"]);
    await failTimes(4);
    expect(stateOf(stage)).toBe("closed");
  });

  it("doubles the wait with each probe that fails, up to 120 s, and starts over once it has closed", async () => {
    const { call, fail, failTimes, clock, events } = setUp();
    await failTimes(5);
    const waits = [10_000, 20_000, 40_000, 80_000, 120_000, 120_000];
    for (const wait of waits) {
      clock.advance(wait - 1);
      await expect(call()).rejects.toMatchObject({ code: "circuit_open" });
      clock.advance(1);
      await expect(fail()).resolves.toMatchObject({ code: "connection_closed" });
    }
    clock.advance(120_000);
    await call();
    await call();
    await failTimes(5);
    const opened = events.flatMap((event) => (event.type === "circuit-opened" ? [event.openMs] : []));
    expect(opened).toEqual([...waits, 120_000, 10_000]);
  });

  it.each<[string, () => unknown]>([
    ["a lost connection", () => failureOf("connection_closed")],
    ["a process that ended", () => failureOf("server_exited")],
    ["a timeout on the wire", () => failureOf("call_timeout")],
    ["an address that nobody answers at", () => failureOf("unreachable")],
    ["a name without an address", () => failureOf("dns_failed")],
    ["no trusted connection", () => failureOf("tls_failed")],
    ["a start that takes too long", () => failureOf("connect_timeout")],
    ["HTTP 503", () => failureOf("http_error", { details: { httpStatus: 503 } })],
  ])("counts %s", async (_, error) => {
    const { fail, stage } = setUp();
    for (let time = 0; time < 5; time += 1) await fail(error);
    expect(stateOf(stage)).toBe("open");
  });

  it.each<[string, () => unknown]>([
    ["an error of JSON-RPC", () => failureOf("server_error", { details: { rpcCode: -32603 } })],
    ["HTTP 404", () => failureOf("http_error", { details: { httpStatus: 404 } })],
    ["missing credentials", () => failureOf("auth_required")],
    ["an abort", () => failureOf("aborted")],
    ["a refusal of ours", () => failureOf("call_refused")],
    ["a limit of ours", () => failureOf("rate_limited", { outcome: "not-sent", details: { policy: "pace" } })],
    ["a queue of ours that is full", () => failureOf("overloaded")],
    ["time spent in a queue of ours", () => failureOf("call_timeout", { outcome: "not-sent" })],
    ["a back-off after an earlier failure", () => failureOf("unreachable", { details: { backOff: true } })],
    ["a tool that is gone", () => failureOf("tool_removed")],
    ["a defect", () => new Error("oops")],
  ])("does not count %s", async (_, error) => {
    const { fail, stage } = setUp();
    for (let time = 0; time < 20; time += 1) await fail(error);
    expect(stateOf(stage)).toBe("closed");
  });

  it("does not count the tool's own failure: who says so is there", async () => {
    const { send, failTimes, stage } = setUp();
    await failTimes(4);
    for (let time = 0; time < 20; time += 1) {
      await send({}, async (call) => ({ ...(await answerOk(call)), isError: true }));
    }
    await failTimes(4);
    expect(stateOf(stage)).toBe("closed");
  });

  it("counts one fault once, however many calls it befell together", async () => {
    const { send, stage, fail } = setUp();
    const fault = new Error("ECONNRESET");
    let lose = (): void => {};
    const lost = new Promise<never>((_, reject) => {
      lose = () => reject(fault);
    });
    const calls = Array.from({ length: 20 }, () =>
      rejectionOf(
        send({}, () => lost.catch((cause: unknown) => Promise.reject(failureOf("connection_closed", { cause })))),
      ),
    );
    await settle();
    lose();
    await Promise.all(calls);
    expect(stateOf(stage)).toBe("closed");
    for (let time = 0; time < 4; time += 1) await fail(() => failureOf("unreachable", { cause: fault }));
    expect(stateOf(stage)).toBe("open");
  });

  it("is not moved by what was begun before it opened", async () => {
    const { send, fail, failTimes, call, stage, clock } = setUp();
    const ends: ((error?: Error) => void)[] = [];
    const old = Array.from({ length: 7 }, () =>
      send(
        {},
        (given) =>
          new Promise((resolve, reject) => {
            ends.push((error) => (error === undefined ? resolve(answerOk(given)) : reject(error)));
          }),
      ).catch(() => {}),
    );
    await settle();
    await failTimes(5);
    ends[0]?.();
    await settle();
    expect(stateOf(stage)).toBe("open");
    clock.advance(10_000);
    await call();
    ends[1]?.();
    for (const end of ends.slice(2)) end(failureOf("connection_closed"));
    await Promise.all(old);
    expect(stateOf(stage)).toBe("half-open");
    await fail();
    expect(stateOf(stage)).toBe("open");
  });

  it("frees the place of a probe that is aborted at once, though its server never answers", async () => {
    const { send, call, failTimes, clock, stage } = setUp();
    await failTimes(5);
    clock.advance(10_000);
    const abort = new AbortController();
    void rejectionOf(send({ options: { signal: abort.signal } }, () => new Promise(() => {})));
    await settle();
    await expect(call()).rejects.toMatchObject({ code: "circuit_open" });
    abort.abort();
    await call();
    await call();
    expect(stateOf(stage)).toBe("closed");
  });

  it("takes a probe that says nothing for none: it stays half-open, and the next call is a probe", async () => {
    const { call, fail, failTimes, clock, stage } = setUp();
    await failTimes(5);
    clock.advance(10_000);
    await fail(() => failureOf("unreachable", { details: { backOff: true } }));
    expect(stateOf(stage)).toBe("half-open");
    await call();
    await call();
    expect(stateOf(stage)).toBe("closed");
  });

  it("keeps servers apart, and tools where that is wanted", async () => {
    const { failTimes, call, stage } = setUp();
    await failTimes(5, { serverId: "a" });
    await call({ serverId: "b" });
    await expect(call({ serverId: "a", toolName: "other" })).rejects.toMatchObject({ code: "circuit_open" });
    expect(stage.statuses().map(({ serverId, toolName }) => [serverId, toolName])).toEqual([["a", undefined]]);

    const selected = setUp({ servers: (id) => id === "b" });
    await selected.failTimes(9, { serverId: "a" });
    await selected.failTimes(5, { serverId: "b" });
    expect(selected.stage.statuses().map(({ serverId }) => serverId)).toEqual(["b"]);

    const perTool = setUp({ per: "tool" });
    await perTool.failTimes(5, { toolName: "x" });
    await perTool.call({ toolName: "y" });
    await expect(perTool.call({ toolName: "x" })).rejects.toMatchObject({ code: "circuit_open" });
    expect(perTool.events[0]).toMatchObject({ type: "circuit-opened", serverId: "s", toolName: "x" });
  });

  it("counts requests that are no calls, and refuses them while it is open", async () => {
    const { stage, clock, failTimes } = setUp();
    const read = (work: () => Promise<string>) => stage.seam({ serverId: "s", method: "resources/read" }, work);
    const late = (): Promise<never> => Promise.reject(failureOf("request_timeout", { outcome: "unknown" }));
    for (let time = 0; time < 4; time += 1) await rejectionOf(read(late));
    await failTimes(1);
    await expect(read(async () => "read")).rejects.toMatchObject({
      code: "circuit_open",
      outcome: "not-sent",
      details: { operation: "resources/read", policy: "breaker", retryAfterMs: 10_000 },
    });
    clock.advance(10_000);
    await read(async () => "read");
    await read(async () => "read");
    expect(stateOf(stage)).toBe("closed");
  });

  it("refuses no first listing of a session, which a probe may wait for", async () => {
    const { stage, clock, failTimes } = setUp();
    const asked = { serverId: "s", method: "tools/list" };
    const list = (isStartup: boolean) => stage.seam({ ...asked, isStartup }, async () => "listed");
    await failTimes(5);
    await expect(list(true)).resolves.toBe("listed");
    await expect(list(false)).rejects.toMatchObject({ code: "circuit_open" });
    clock.advance(10_000);
    await stage.seam({ serverId: "s", method: "tools/call" }, () => list(true));
    expect(stateOf(stage)).toBe("half-open");
  });

  it("moderate: stays open for 60 s after 5 failures", async () => {
    const { failTimes, call } = setUp({ openMs: 60_000 });
    await failTimes(5);
    await expect(call()).rejects.toMatchObject({ details: { retryAfterMs: 60_000 } });
  });

  it.each<[string, unknown]>([
    ['breaker has no option "threshold"', { threshold: 5 }],
    ["breaker.failures", { failures: 0 }],
    ["breaker.openMs", { openMs: Number.NaN }],
    ["breaker.per", { per: "principal" }],
  ])("throws a TypeError at construction: %s", (message, options) => {
    const { parts } = createStageWorld();
    expect(() => createBreaker(options as BreakerOptions, parts)).toThrow(TypeError);
    expect(() => createBreaker(options as BreakerOptions, parts)).toThrow(message);
  });
});

type Command =
  | { readonly do: "begin" }
  | { readonly do: "end"; readonly which: number; readonly health: "well" | "ill" | "unclear" }
  | { readonly do: "abort"; readonly which: number }
  | { readonly do: "advance"; readonly ms: number };

const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("begin" as const) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("end" as const),
      which: fc.nat(5),
      health: fc.constantFrom("well" as const, "ill" as const, "ill" as const, "unclear" as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("abort" as const), which: fc.nat(5) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("advance" as const),
      ms: fc.constantFrom(400, 20_000, 40_000, 60_000, 80_000, 120_000),
    }),
  },
);

/** The breaker in a few lines, from the words that describe it. */
function createModel() {
  let opened: { readonly at: number; readonly ms: number } | undefined;
  let probing: object | undefined;
  let streak: ("well" | "ill")[] = [];
  let epoch = {};
  return {
    begin(now: number): { readonly epoch: object; readonly probe: boolean } | undefined {
      if (opened === undefined) return { epoch, probe: false };
      if (now < opened.at + opened.ms || probing !== undefined) return undefined;
      // The first probe starts a new chapter.
      if (streak[0] === "ill") [streak, epoch] = [[], {}];
      probing = {};
      return { epoch, probe: true };
    },
    end(pass: { readonly epoch: object; readonly probe: boolean }, health: "well" | "ill" | "unclear", now: number) {
      if (pass.epoch !== epoch) return;
      if (pass.probe) probing = undefined;
      if (health === "unclear") return;
      streak = streak[0] === health ? [...streak, health] : [health];
      const isLong = (length: number): boolean => streak.length >= length;
      if (pass.probe && health === "ill" && opened) {
        opened = { at: now, ms: Math.min(120_000, opened.ms * 2) };
        epoch = {};
      } else if (pass.probe && isLong(2)) [opened, streak, epoch] = [undefined, [], {}];
      else if (!pass.probe && health === "ill" && isLong(3)) [opened, epoch] = [{ at: now, ms: 40_000 }, {}];
    },
  };
}

describe("a breaker under any schedule", () => {
  test.prop([fc.array(command, { minLength: 5, maxLength: 60 })])(
    "does what the words say: closed, open, one probe at a time",
    async (commands) => {
      const { send, clock, stage } = setUp({ failures: 3, openMs: 40_000 });
      const model = createModel();
      const running: {
        readonly pass: { readonly epoch: object; readonly probe: boolean };
        readonly end: (health: "well" | "ill" | "unclear") => void;
        readonly abort: AbortController;
      }[] = [];
      for (const step of commands) {
        if (step.do === "advance") clock.advance(step.ms);
        if (step.do === "begin") {
          const abort = new AbortController();
          let end: ((health: "well" | "ill" | "unclear") => void) | undefined;
          const refusal = rejectionOf(
            send(
              { options: { signal: abort.signal, timeoutMs: 100_000_000 } },
              (given) =>
                new Promise((resolve, reject) => {
                  end = (health) => {
                    if (health === "well") resolve(answerOk(given));
                    else reject(failureOf(health === "ill" ? "connection_closed" : "overloaded"));
                  };
                }),
            ),
          ).catch(() => undefined);
          const pass = model.begin(clock.now());
          await settle();
          expect(end !== undefined, `${stateOf(stage)}: ${JSON.stringify(step)}`).toBe(pass !== undefined);
          if (pass !== undefined && end !== undefined) running.push({ pass, end, abort });
          else expect((await refusal)?.code).toBe("circuit_open");
        }
        if (step.do === "end" || step.do === "abort") {
          const [call] = running.splice(step.which % Math.max(1, running.length), 1);
          const health = step.do === "abort" ? "unclear" : step.health;
          if (call === undefined) continue;
          if (step.do === "abort") call.abort.abort();
          else call.end(step.health);
          model.end(call.pass, health, clock.now());
        }
        await settle();
      }
      for (const { end } of running) end("well");
    },
  );
});
