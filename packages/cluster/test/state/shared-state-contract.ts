import { createMemoryLock } from "@hostside/core";
import type { SharedState, SharedStateOptions } from "@hostside/cluster/redis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { DatabaseServer } from "../../../../test/database-servers.ts";
import { useTestClock } from "../../../../test/manual-clock.ts";

/** An engine under test. */
export interface TestEngine {
  readonly server: DatabaseServer;
  /** A state of a process of its own. */
  open(options?: SharedStateOptions): Promise<SharedState>;
  /** Has the engine forget all. */
  forget(): Promise<unknown>;
  /**
   * Writes a value as a version of Hostside would that knows more formats, or as nobody of them
   * would.
   */
  plant(key: string, what: "later" | "rubbish"): Promise<unknown>;
  /** How many connections the engine has. */
  connections(): Promise<number>;
  close(): Promise<void>;
}

const failed = { code: "store_failed", outcome: "not-sent" };
const never = new Promise<never>(() => {});

/** What a state over an engine holds to besides the contracts of store and lock. */
export function describeSharedState(openEngine: () => Promise<TestEngine>): void {
  describe("what every shared state holds to", () => {
    let engine: TestEngine;
    beforeAll(async () => void (engine = await openEngine()));
    afterAll(async () => engine?.close());

    testFencingTokens(() => engine);
    testNotices(() => engine);
    testValues(() => engine);
    testEnds(() => engine);
  });
}

function testFencingTokens(get: () => TestEngine): void {
  it("refuses whatever somebody writes who has lost the lock to another", async () => {
    const [one, two] = [await get().open(), await get().open()];
    await one.lock.withLock("fenced", 60, async (signal, fencingToken) => {
      await one.store.set("kept", "first", undefined, fencingToken);
      await aborted(signal);
      // As long as nobody else had it, nothing is harmed.
      await one.store.set("kept", "late", undefined, fencingToken);
      await two.lock.withLock("fenced", 5000, (_signal, next) => two.store.set("kept", "second", undefined, next));
      await expect(one.store.set("kept", "too late", undefined, fencingToken)).rejects.toMatchObject(failed);
      await expect(one.store.delete("kept", fencingToken)).rejects.toThrow(/somebody else has had the lock "fenced"/);
    });
    expect(await one.store.get("kept")).toBe("second");
  });

  it("has fencing tokens that grow, also when the engine has lost its memory, and knows none of before", async () => {
    const [one, two] = [await get().open(), await get().open()];
    const numbers: number[] = [];
    const note = async (_signal: AbortSignal, fencingToken?: { readonly number: number }): Promise<void> =>
      void numbers.push(fencingToken?.number ?? Number.NaN);
    for (const { lock } of [one, two, one, two]) await lock.withLock("grows", 5000, note);
    const lost = await one.lock.withLock("grows", 5000, async (_signal, fencingToken) => {
      await get().forget();
      return one.store.set("of before", 1, undefined, fencingToken).catch((error: unknown) => error);
    });
    expect(lost).toMatchObject(failed);
    for (const { lock } of [two, one]) await lock.withLock("grows", 5000, note);
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
    expect(new Set(numbers).size).toBe(6);
    expect(await one.store.get("of before")).toBeUndefined();
  });

  it("takes no notice of the fencing token of a lock that is not an engine's", async () => {
    const { store } = await get().open();
    await createMemoryLock().withLock("memory", 1000, (_signal, fencingToken) =>
      store.set("mixed", 1, undefined, fencingToken),
    );
    expect(await store.get("mixed")).toBe(1);
  });

  it("passes on the lock of a holder of whom nothing is heard, however long its lease", async () => {
    const holder = await get().open({ holderTimeoutMs: 60 });
    // What a holder leaves behind that was killed: a lock that nobody prolongs.
    // Its timers never come, as in a process that stands still.
    useTestClock({ schedule: () => () => {} });
    const frozen = await get().open({ holderTimeoutMs: 100 });
    const held = new Promise<void>((resolve) => {
      void frozen.lock.withLock("left", 60_000, async () => (resolve(), never)).catch(() => {});
    });
    await held;
    useTestClock({});
    expect(await holder.lock.withLock("left", 60_000, async () => "next")).toBe("next");
  });

  it("keeps a lock for as long as its holder is there", async () => {
    const [one, two] = [await get().open({ holderTimeoutMs: 300 }), await get().open({ maxWaitMs: 600 })];
    await one.lock.withLock("long", 5000, async (signal) => {
      const refused = two.lock.withLock("long", 5000, async () => expect.unreachable());
      await expect(refused).rejects.toMatchObject({ code: "overloaded" });
      expect(signal.aborted).toBe(false);
    });
  });
}

function testNotices(get: () => TestEngine): void {
  it("tells the others, and not who tells; a subscription that begins counts as a notice", async () => {
    const [one, two, three] = [await get().open(), await get().open(), await get().open()];
    const heard = { one: 0, two: 0, other: 0 };
    one.notices.subscribe("pins", () => (heard.one += 1));
    const end = two.notices.subscribe("pins", () => (heard.two += 1));
    two.notices.subscribe("other", () => (heard.other += 1));
    await expect.poll(() => heard).toEqual({ one: 1, two: 1, other: 1 });
    await one.notices.publish("pins");
    await expect.poll(() => heard).toEqual({ one: 1, two: 2, other: 1 });
    await three.notices.publish("pins");
    await expect.poll(() => heard).toEqual({ one: 2, two: 3, other: 1 });
    end();
    end();
    await three.notices.publish("pins");
    await three.notices.publish("other");
    await expect.poll(() => heard).toEqual({ one: 3, two: 3, other: 2 });
  });

  it("needs one connection for all topics, and none when nobody subscribes", async () => {
    const state = await get().open();
    await state.store.get("warm");
    const before = await get().connections();
    const heard: string[] = [];
    const ends = ["a", "b", "c"].map((topic) => state.notices.subscribe(topic, () => heard.push(topic)));
    await expect.poll(() => heard).toEqual(["a", "b", "c"]);
    expect((await get().connections()) - before).toBeLessThanOrEqual(1);
    for (const end of ends) end();
    await expect.poll(() => get().connections()).toBeLessThanOrEqual(before);
  });

  it("refuses what is no topic", async () => {
    const { notices } = await get().open();
    await expect(notices.publish(1 as never)).rejects.toThrow(TypeError);
    expect(() => notices.subscribe("x".repeat(1001), () => {})).toThrow(/at most 1000/);
  });
}

function testValues(get: () => TestEngine): void {
  it("leaves alone what a later version wrote, and says so of what nobody did", async () => {
    const { store } = await get().open();
    await get().plant("later", "later");
    await expect(store.get("later")).rejects.toThrow(/store_failed.*later version/);
    await expect(store.set("later", 1)).rejects.toThrow(/store_failed.*later version/);
    expect(await store.delete("later")).toBe(true);
    await get().plant("rubbish", "rubbish");
    await expect(store.get("rubbish")).rejects.toThrow(/store_failed.*not what was written/);
    await store.delete("rubbish");
  });

  it("refuses a value that is too large, and says how large", async () => {
    const { store } = await get().open();
    await store.set("size", "small");
    const large = "ä".repeat(8 * 1024 * 1024);
    await expect(store.set("size", large)).rejects.toThrow(/store_failed.*"size" has 16777218 bytes, and 16777216 is/);
    expect(await store.get("size")).toBe("small");
  });

  it("keeps what is under another prefix apart", async () => {
    const [one, two] = [await get().open({ prefix: "one:" }), await get().open({ prefix: "two:" })];
    await one.store.set("same", 1);
    expect(await two.store.get("same")).toBeUndefined();
    await one.lock.withLock("same", 1000, () => two.lock.withLock("same", 1000, async () => {}));
  });
}

function testEnds(get: () => TestEngine): void {
  it("ends what it opened when it is closed, and nothing else", async () => {
    const before = await get().connections();
    const state = await get().open();
    let heard = 0;
    state.notices.subscribe("a", () => (heard += 1));
    await expect.poll(() => heard).toBe(1);
    const held = state.lock.withLock("closing", 5000, async (signal) => {
      await state.close();
      return signal.aborted;
    });
    expect(await held).toBe(true);
    await expect(state.store.get("a")).rejects.toMatchObject({ code: "closed" });
    await expect(state.lock.withLock("a", 100, async () => 1)).rejects.toMatchObject({ code: "closed" });
    await expect(state.notices.publish("a")).rejects.toMatchObject({ code: "closed" });
    await state.close();
    // The client of the product is still there.
    await expect.poll(() => get().connections()).toBeLessThanOrEqual(before + 1);
  });

  it("says once that the engine is down and once that it is back, fails within the bound, and does not wait for it each time", async () => {
    const state = await get().open({ timeoutMs: 200 });
    const said: { readonly kind: string }[] = [];
    state.onDiagnostic((diagnostic) => said.push(diagnostic));
    let heard = 0;
    state.notices.subscribe("outage", () => (heard += 1));
    await expect.poll(() => heard).toBe(1);
    await state.store.set("survives", 1);
    await get().server.stop();
    const startedAt = performance.now();
    const errors: unknown[] = [];
    for (let count = 0; count < 50; count += 1) {
      errors.push(await state.store.get("survives").catch((error: unknown) => error));
      errors.push(await state.lock.withLock("down", 1000, async () => "free").catch((error: unknown) => error));
    }
    // One that waited each time would take 20 s.
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    expect(errors).toEqual(errors.map(() => expect.objectContaining({ code: "store_failed" }) as unknown));
    const set = await state.store.set("survives", 2).catch((error: unknown) => error);
    expect(set).toMatchObject({ code: "store_failed" });
    await get().server.start();
    await expect.poll(() => state.store.get("survives").catch(() => "down")).toBe(1);
    await expect.poll(() => heard).toBe(2);
    await expect.poll(() => said.map(({ kind }) => kind)).toEqual(["engine-down", "engine-back"]);
    await state.lock.withLock("down", 1000, async () => "free");
  });
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
}
