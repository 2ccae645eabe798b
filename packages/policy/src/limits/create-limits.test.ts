import type { CallContext, ToolCall, ToolOutcome } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { answerOk, callOf, createStageWorld, failureOf, rejectionOf, settle } from "../../test/stage-world.ts";
import { createLimits } from "./create-limits.ts";
import { moderateLimits, newToolLimits, type Limit } from "./limit-options.ts";
import { useTestClock } from "../../../../test/manual-clock.ts";

function setUp(...limits: readonly Limit[]) {
  const world = createStageWorld();
  const stage = createLimits({ limits }, world.parts);
  const layers = [stage.interceptor];
  const handled: (() => void)[] = [];
  return {
    ...world,
    stage,
    handled,
    call: (init?: Parameters<typeof callOf>[0], handler: (call: ToolCall) => Promise<ToolOutcome> = answerOk) =>
      world.send(callOf(init), layers, handler),
    /** Calls a tool that takes until it is told to answer. */
    hold: (init?: Parameters<typeof callOf>[0]) =>
      world.send(callOf(init), layers, async (call) => {
        await new Promise<void>((resolve) => void handled.push(resolve));
        return answerOk(call);
      }),
  };
}

const by = (context: CallContext) => ({ options: { context } });

describe("createLimits()", () => {
  it("refuses with rate_limited beyond the burst, and says which limit, how much is used and when to come back", async () => {
    const { call, clock, events } = setUp({ name: "pace", rate: { calls: 2, perMs: 1000 } });
    await call();
    await call();
    clock.advance(100);
    const error = await rejectionOf(call());
    expect(error).toMatchObject({
      code: "rate_limited",
      outcome: "not-sent",
      retryable: true,
      details: { policy: "pace", usage: { used: 2, limit: 2 }, retryAfterMs: 400 },
    });
    expect(error.message).toContain(
      'limit "pace": 2 of 2 calls, which come back at 2 per 1000 ms, are used; again in 400 ms',
    );
    expect(events).toMatchObject([{ type: "refused", stage: "limits", code: "rate_limited" }]);
    clock.advance(399);
    await expect(call()).rejects.toMatchObject({ details: { retryAfterMs: 1 } });
    clock.advance(1);
    await call();
    await expect(call()).rejects.toMatchObject({ code: "rate_limited" });
  });

  it("refuses with overloaded while as many are under way as may be, whatever becomes of them", async () => {
    const { call, hold, handled } = setUp({ name: "two", concurrency: 2 });
    const held = [hold(), hold()];
    await settle();
    await expect(call()).rejects.toMatchObject({
      code: "overloaded",
      details: { policy: "two", usage: { used: 2, limit: 2 } },
    });
    handled.pop()?.();
    await settle();
    await rejectionOf(call({}, () => Promise.reject(failureOf("connection_closed"))));
    await call();
    handled.pop()?.();
    await Promise.all(held);
  });

  it("refuses with budget_exceeded until the window is over, which begins with the first call", async () => {
    const { call, clock } = setUp({ budget: { calls: 2, perMs: 1000 } });
    clock.advance(700);
    await call();
    clock.advance(900);
    await call();
    await expect(call()).rejects.toMatchObject({
      code: "budget_exceeded",
      details: { policy: "limits[0]", usage: { used: 2, limit: 2 }, retryAfterMs: 100 },
    });
    clock.advance(100);
    await call();
  });

  it("charges no budget for a call that did not leave the host, and charges it for one that may have run", async () => {
    const { call } = setUp({ budget: { calls: 1 }, concurrency: 1 });
    for (let time = 0; time < 5; time += 1) {
      await expect(call({}, () => Promise.reject(failureOf("unreachable")))).rejects.toMatchObject({
        code: "unreachable",
      });
    }
    await rejectionOf(call({}, () => Promise.reject(failureOf("connection_closed"))));
    await expect(call()).rejects.toMatchObject({ code: "budget_exceeded" });
  });

  it("counts a call by its rate when it is let through, whether it leaves the host or not", async () => {
    const { call } = setUp({ rate: { calls: 1, perMs: 1000 } });
    await rejectionOf(call({}, () => Promise.reject(failureOf("unreachable"))));
    await expect(call()).rejects.toMatchObject({ code: "rate_limited" });
  });

  it("takes nothing of the limits that hold beside the one that refuses", async () => {
    const { call } = setUp(
      { name: "wide", rate: { calls: 3, perMs: 1000 } },
      { name: "narrow", tools: "s/echo", rate: { calls: 1, perMs: 1000 } },
    );
    await call();
    for (let time = 0; time < 5; time += 1)
      await expect(call()).rejects.toMatchObject({ details: { policy: "narrow" } });
    await call({ toolName: "other" });
    await call({ toolName: "other" });
    await expect(call({ toolName: "other" })).rejects.toMatchObject({ details: { policy: "wide" } });
  });

  it("counts apart for each key, byte for byte, and together for those who have none", async () => {
    const { call } = setUp({ per: ["principal", "role"], budget: { calls: 1 } });
    await call(by({ principal: "a", role: "b" }));
    await expect(call(by({ principal: "a", role: "b" }))).rejects.toMatchObject({ code: "budget_exceeded" });
    await call(by({ principal: "A", role: "b" }));
    await call(by({ principal: "a" }));
    await call(by({ principal: "1:a1:b" }));
    await call(by({ principal: "xy", role: "z" }));
    await call(by({ principal: "x", role: "yz" }));
    await call();
    await expect(call({})).rejects.toMatchObject({ code: "budget_exceeded" });
  });

  it("counts a tool by its server and its remote name", async () => {
    const { call } = setUp({ per: "tool", budget: { calls: 1 } });
    await call({ serverId: "a", toolName: "b" });
    await call({ serverId: "a1:b", toolName: "" });
    await call({ serverId: "other", toolName: "b" });
    await expect(call({ serverId: "a", toolName: "b", definition: { name: "renamed" } })).rejects.toMatchObject({
      code: "budget_exceeded",
    });
  });

  it("lets calls wait in order for a place, and tells those who waited", async () => {
    const { call, hold, handled, clock, events } = setUp({ concurrency: 1, onFull: { waitMs: 500 } });
    const order: string[] = [];
    const first = hold();
    await settle();
    const second = hold().then(() => order.push("second"));
    const third = call().then(() => order.push("third"));
    await settle();
    expect(handled).toHaveLength(1);
    clock.advance(200);
    handled[0]?.();
    await settle();
    expect(handled).toHaveLength(2);
    handled[1]?.();
    await Promise.all([first, second, third]);
    expect(order).toEqual(["second", "third"]);
    expect(events).toMatchObject([
      { type: "applied", stage: "limits", reason: "waited 200 ms for its limits" },
      { type: "applied", stage: "limits" },
    ]);
    expect(clock.pending).toBe(0);
  });

  it("tells of no wait where a slow machine took its time to let a call in", async () => {
    const world = createStageWorld();
    useTestClock({ ...world.clock, now: () => (world.clock.advance(5), world.clock.now()) });
    const stage = createLimits({ limits: [{ name: "pace", rate: { calls: 2, perMs: 1000 } }] }, world.parts);
    await world.send(callOf(), [stage.interceptor], answerOk);
    expect(world.events).toEqual([]);
  });

  it("turns away who has waited long enough, and at once who would wait in vain", async () => {
    const { call, hold, clock } = setUp({ name: "one", concurrency: 1, onFull: { waitMs: 500 } });
    void hold();
    await settle();
    const waiting = rejectionOf(call());
    clock.advance(499);
    await settle();
    clock.advance(1);
    expect(await waiting).toMatchObject({ code: "overloaded", details: { policy: "one" } });

    const slow = setUp({ rate: { calls: 1, perMs: 1000 }, onFull: { waitMs: 500 } });
    await slow.call();
    await expect(slow.call()).rejects.toMatchObject({ code: "rate_limited", details: { retryAfterMs: 1000 } });
    slow.clock.advance(600);
    const patient = slow.call();
    slow.clock.advance(400);
    await patient;
  });

  it("frees the place of a waiting call that is aborted at once, and of one whose time is up", async () => {
    const { call, hold, handled, clock } = setUp({ concurrency: 1, onFull: { waitMs: 60_000 } });
    const first = hold();
    await settle();
    const abort = new AbortController();
    const given = rejectionOf(call({ options: { signal: abort.signal } }));
    const late = rejectionOf(call({ options: { timeoutMs: 100 } }));
    const patient = call();
    await settle();
    abort.abort();
    expect(await given).toMatchObject({ code: "aborted", outcome: "not-sent" });
    clock.advance(100);
    expect(await late).toMatchObject({ code: "call_timeout", outcome: "not-sent" });
    handled[0]?.();
    await Promise.all([first, patient]);
    expect(clock.pending).toBe(0);
  });

  it("keeps nothing of a waiting call that is aborted, not even a timer", async () => {
    const { call, hold, clock } = setUp({ concurrency: 1, onFull: { waitMs: 60_000 } });
    void hold();
    await settle();
    const before = clock.pending;
    const abort = new AbortController();
    const given = rejectionOf(call({ options: { signal: abort.signal } }));
    await settle();
    expect(clock.pending).toBeGreaterThan(before);
    abort.abort();
    await given;
    await settle();
    expect(clock.pending).toBe(before);
  });

  it("shortens the time of a call, for all of its tries together, and never gives it more", async () => {
    const { call } = setUp({ timeoutMs: 1000 });
    const left: (number | undefined)[] = [];
    const note = (given: ToolCall): Promise<ToolOutcome> => {
      left.push(given.options.deadline?.remainingMs());
      return answerOk(given);
    };
    await call({}, note);
    await call({ options: { timeoutMs: 300 } }, note);
    expect(left).toEqual([1000, 300]);
  });

  it("refuses a call when a store of the product's fails, and tells", async () => {
    const world = createStageWorld();
    const limitStore = { take: () => Promise.reject(new Error("store is away")) };
    const { interceptor } = createLimits({ limits: [{ concurrency: 1 }], limitStore }, world.parts);
    await expect(world.send(callOf(), [interceptor])).rejects.toMatchObject({
      code: "call_refused",
      outcome: "not-sent",
      retryable: true,
    });
    expect(world.eventTypes()).toEqual(["part-failed", "refused"]);
  });

  it.each<[string, unknown]>([
    ["limits must be a list", {}],
    ['limits[0] has no option "rates"', [{ rates: 1 }]],
    ["limits[0] limits nothing", [{ tools: "a/b" }]],
    ["limits[0].rate.calls", [{ rate: { calls: 0, perMs: 1 } }]],
    ["limits[0].rate.perMs", [{ rate: { calls: 1, perMs: -1 } }]],
    ["limits[0].rate.burst", [{ rate: { calls: 1, perMs: 1, burst: 0.5 } }]],
    ["limits[0].concurrency", [{ concurrency: -1 }]],
    ["limits[0].budget.calls must be", [{ budget: { perMs: 1 } }]],
    ["limits[0].budget.calls", [{ budget: { calls: -1 } }]],
    ["limits[0].budget.perMs", [{ budget: { calls: 1, perMs: Number.NaN } }]],
    ['limits[0].budget has no option "cost"', [{ budget: { calls: 1, cost: 1 } }]],
    ['limits[0].per: "tenant"', [{ per: "tenant", concurrency: 1 }]],
    ["limits[0].timeoutMs", [{ timeoutMs: 0 }]],
    ["limits[0].onFull.waitMs", [{ concurrency: 1, onFull: { waitMs: -1 } }]],
    ["limits[0].onFull", [{ concurrency: 1, onFull: "wait" }]],
    ["limits[0].tools", [{ concurrency: 1, tools: "github" }]],
    [
      "limits[1].name: there is another limit",
      [
        { name: "a", concurrency: 1 },
        { name: "a", concurrency: 2 },
      ],
    ],
  ])("throws a TypeError at construction: %s", (message, limits) => {
    const world = createStageWorld();
    const make = () => createLimits({ limits: limits as readonly Limit[] }, world.parts);
    expect(make).toThrow(TypeError);
    expect(make).toThrow(message);
  });
});

describe("presets of limits", () => {
  it("moderate: 10 calls a second and one at a time for each tool, 100 for a conversation", async () => {
    const { call, clock } = setUp(...moderateLimits());
    for (let count = 0; count < 100; count += 1) {
      clock.advance(100);
      await call({ toolName: `tool-${count % 3}` });
    }
    await expect(call()).rejects.toMatchObject({ code: "budget_exceeded" });
    await call(by({ conversation: "another" }));
  });

  it("new tools: tighter and shorter than moderate, for the tools with a label alone, and beside it", async () => {
    const { call } = setUp(...moderateLimits(), ...newToolLimits({ labels: "trust:new" }));
    const labels = { trust: "new" };
    await call({ labels, options: { context: { conversation: "a" } } });
    await call({ labels, options: { context: { conversation: "a" } } });
    await expect(call({ labels })).rejects.toMatchObject({
      code: "rate_limited",
      details: { policy: "pace of new tools" },
    });
    await call();
    const left: (number | undefined)[] = [];
    await call({ labels, toolName: "b" }, (given) => {
      left.push(given.options.deadline?.remainingMs());
      return answerOk(given);
    });
    expect(left).toEqual([10_000]);
  });
});
