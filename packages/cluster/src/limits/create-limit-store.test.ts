import { createMemoryStore } from "@hostside/core";
import { createPolicy, type LimitRule, type LimitStoreOutage, type PolicyEvent } from "@hostside/policy";
import { describe, expect, it } from "vitest";
import { useVirtualClock } from "../../../provider/test/simulation/virtual-clock.ts";
import { createMemoryEngine } from "../../test/limits/counting-in-memory.ts";
import { EngineClient } from "../engine/engine-client.ts";
import { createLimitStore } from "./create-limit-store.ts";

const budget: LimitRule = { name: "budget", budget: { calls: 100 }, waitMs: 0 };

function setUp() {
  const clock = useVirtualClock();
  const engine = createMemoryEngine();
  const client = new EngineClient({ name: "memory", timeoutMs: 1000, isAnswer: () => false });
  const store = createLimitStore({ engine, client, prefix: "test:" });
  const outages: LimitStoreOutage["state"][] = [];
  store.onOutage?.(({ state }) => void outages.push(state));
  const take = async (rule: LimitRule = budget, signal?: AbortSignal) => store.take([{ rule, key: "ada" }], signal);
  const lease = async (rule?: LimitRule) => {
    const result = await take(rule);
    if (!result.granted) throw new Error(`refused: ${result.part}`);
    return result;
  };
  const passed = async (ms: number): Promise<void> => {
    await settled();
    clock.advance(ms);
    await settled();
  };
  return { clock, engine, store, outages, take, lease, passed };
}

/** Lets everything happen that waits for no time. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

describe("limits over an engine", () => {
  it("rejects with store_failed within the time when the engine does not answer, and runs nothing", async () => {
    const { engine, take, passed, outages } = setUp();
    engine.mode = "silent";
    const taking = take().catch((error: unknown) => error);
    await passed(1000);
    expect(await taking).toMatchObject({ code: "store_failed", outcome: "not-sent" });
    expect(outages).toEqual(["down"]);
  });

  it("waits for no answer after the third failure but once a second, and tells an outage and its end once", async () => {
    const { engine, take, passed, outages } = setUp();
    engine.mode = "down";
    for (let call = 0; call < 20; call += 1) await expect(take()).rejects.toMatchObject({ code: "store_failed" });
    expect(engine.asked).toBe(2);
    engine.mode = "silent";
    await passed(1001);
    const trial = take().catch((error: unknown) => error);
    await expect(take()).rejects.toThrow("was not tried");
    await passed(1001);
    expect(await trial).toMatchObject({ code: "store_failed", message: expect.stringContaining("1000 ms") });
    expect(outages).toEqual(["down"]);
    engine.answerAll();
    await passed(1001);
    expect(await take()).toMatchObject({ granted: true });
    expect(await take()).toMatchObject({ granted: true });
    expect(outages).toEqual(["down", "up"]);
  });

  it("gives back what came too late", async () => {
    const { engine, take, passed } = setUp();
    engine.mode = "silent";
    const taking = take().catch(() => "refused");
    await passed(1000);
    expect(await taking).toBe("refused");
    engine.answerAll();
    await settled();
    expect(Array.from(engine.counts.values())).toEqual([0]);
  });

  it("gives back what came after the call was given up", async () => {
    const { engine, take } = setUp();
    engine.mode = "silent";
    const controller = new AbortController();
    const taking = take(budget, controller.signal).catch((error: unknown) => error);
    controller.abort(new Error("enough"));
    expect(await taking).toMatchObject({ message: "enough" });
    engine.answerAll();
    await settled();
    expect(Array.from(engine.counts.values())).toEqual([0]);
  });

  it("takes nothing of the others for a call that one limit refuses", async () => {
    const { engine, store, lease } = setUp();
    const narrow: LimitRule = { name: "narrow", budget: { calls: 1 }, waitMs: 0 };
    await lease(narrow);
    const wants = [budget, narrow].map((rule) => ({ rule, key: "ada" }));
    for (let call = 0; call < 5; call += 1) {
      expect(await store.take(wants, undefined)).toMatchObject({ granted: false, rule: narrow });
    }
    expect(Array.from(engine.counts.values())).toEqual([1, 0]);
  });

  it("gives back what a call took that never left, once, but for the token of a rate", async () => {
    const { engine, lease } = setUp();
    const both: LimitRule = { name: "both", budget: { calls: 5 }, rate: { calls: 5, perMs: 100, burst: 5 }, waitMs: 0 };
    const taken = await lease(both);
    taken.settle(false);
    taken.settle(true);
    await settled();
    expect(Object.fromEntries(Array.from(engine.counts, ([key, used]) => [key.split(":")[2], used]))).toEqual({
      rate: 1,
      calls: 0,
    });
  });

  it("counts calls under way in this process, without asking anybody, and lets the next in when one ends", async () => {
    const { store, engine, passed } = setUp();
    const rule: LimitRule = { name: "one", concurrency: 1, waitMs: 500 };
    const wants = [{ rule, key: "" }];
    const first = await store.take(wants, undefined);
    const second = store.take(wants, undefined);
    const third = store.take(wants, undefined);
    await passed(100);
    if (first.granted) first.settle(true);
    expect(await second).toMatchObject({ granted: true, waitedMs: 100 });
    await passed(400);
    expect(await third).toMatchObject({ granted: false, part: "concurrency", used: 1, limit: 1 });
    expect(engine.asked).toBe(0);
  });

  it("lets go of who gives up while it waits", async () => {
    const { store, passed } = setUp();
    const wants = [{ rule: { name: "one", concurrency: 1, waitMs: 500 }, key: "" }];
    const first = await store.take(wants, undefined);
    const controller = new AbortController();
    const second = Promise.resolve(store.take(wants, controller.signal)).catch((error: unknown) => error);
    await settled();
    controller.abort(new Error("enough"));
    expect(await second).toMatchObject({ message: "enough" });
    const third = store.take(wants, undefined);
    await passed(1);
    if (first.granted) first.settle(true);
    expect(await third).toMatchObject({ granted: true });
  });

  it("has those who wait for a rate ask in the order of arrival, and only the first of them", async () => {
    const { engine, store, passed } = setUp();
    const wants = [{ rule: { name: "slow", rate: { calls: 1, perMs: 100, burst: 1 }, waitMs: 1000 }, key: "" }];
    await store.take(wants, undefined);
    const served: number[] = [];
    const all = [1, 2, 3].map(async (one) => {
      const result = await store.take(wants, undefined);
      if (result.granted) served.push(one);
    });
    await settled();
    const asked = engine.asked;
    for (let freed = 0; freed < 3; freed += 1) {
      for (const [name, used] of engine.counts) engine.counts.set(name, used - 1);
      await passed(100);
      await passed(100);
    }
    await Promise.all(all);
    expect(served).toEqual([1, 2, 3]);
    expect(engine.asked - asked).toBeLessThan(8);
  });

  it("tells names, keys and principals to nobody: keys are short hashes with a version", async () => {
    const { engine, store } = setUp();
    await store.take([{ rule: { ...budget, name: "n".repeat(10_000) }, key: "ada@example.com" }], undefined);
    for (const key of engine.counts.keys()) expect(key).toMatch(/^test:limit:[a-z]+:[0-9a-f]{64}$/);
  });
});

describe("a policy whose limits are shared", () => {
  it("refuses a call with call_refused while nobody can count it, and tells the outage and its end once", async () => {
    const { engine, store, passed } = setUp();
    const policy = createPolicy({
      limits: [{ budget: { calls: 5 } }],
      state: { store: createMemoryStore(), limitStore: store },
    });
    const events: PolicyEvent[] = [];
    policy.onEvent((event) => void events.push(event));
    const origin = { serverId: "s", toolName: "echo", qualifiedName: "mcp::s::echo" };
    const definition = { name: "echo", description: "", inputSchema: {}, fingerprint: "sha256-1", origin };
    const ok = { content: [], isError: false, origin, raw: { content: [] } };
    const call = async () =>
      policy.interceptors[0]?.(
        { origin, definition, server: { id: "s", labels: {} }, args: {}, options: {} },
        async () => ok,
      );
    const failure = () => call().catch((thrown: unknown) => thrown);
    engine.mode = "down";
    const error = await failure();
    expect(error).toMatchObject({
      code: "call_refused",
      outcome: "not-sent",
      details: { policy: "limitStore" },
      cause: { code: "store_failed" },
    });
    for (let again = 0; again < 4; again += 1) await failure();
    engine.mode = "well";
    await passed(1001);
    await call();
    const heard = events.filter(({ type }) => type.startsWith("part-"));
    expect(heard).toMatchObject([
      { type: "part-failed", part: "limitStore", error: { code: "store_failed" } },
      { type: "part-restored", part: "limitStore" },
    ]);
    policy.close();
    engine.mode = "down";
    await failure();
    expect(events.filter(({ type }) => type.startsWith("part-"))).toHaveLength(2);
  });
});
