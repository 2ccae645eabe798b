import { describe, expect, it } from "vitest";
import { firstOf, gate, settled, stage } from "./stage.ts";
import { stubProvider } from "./stub-provider.ts";

describe("getOrCreate()", () => {
  it("makes one provider for all who ask, at once and later", async () => {
    const { pool, made } = stage();
    const all = await Promise.all([pool.getOrCreate(), pool.getOrCreate(), pool.getOrCreate("shared")]);
    expect(new Set([...all, await pool.getOrCreate()]).size).toBe(1);
    expect(made).toHaveLength(1);
  });

  it("makes one for each key, and nothing before it is wanted", async () => {
    const { pool, made, clock } = stage();
    expect(clock.pending()).toBe(0);
    const [a, b] = await Promise.all([pool.getOrCreate("a"), pool.getOrCreate("b")]);
    expect(a).not.toBe(b);
    expect(made.map(({ key }) => key)).toEqual(["a", "b"]);
  });

  it("gives everybody the error of make(), and tries again for the next one", async () => {
    let attempts = 0;
    const { pool, events } = stage({
      make() {
        attempts += 1;
        if (attempts === 1) throw new Error("no room in the house");
        return stubProvider().provider;
      },
    });
    const [first, second] = await Promise.allSettled([pool.getOrCreate("a"), pool.getOrCreate("a")]);
    expect([first, second]).toMatchObject([
      { status: "rejected", reason: { message: "no room in the house" } },
      { status: "rejected", reason: { message: "no room in the house" } },
    ]);
    expect(events).toMatchObject([{ type: "create-failed", key: "a" }]);
    await expect(pool.getOrCreate("a")).resolves.toBeDefined();
  });

  it("refuses one that is closed, and leaves no place taken", async () => {
    const { pool } = stage({
      maxProviders: 1,
      async make({ key }) {
        const { provider } = stubProvider();
        if (key === "a") await provider.close();
        return provider;
      },
    });
    await expect(pool.getOrCreate("a")).rejects.toThrow("make() gave a provider that is closed");
    await expect(pool.getOrCreate("b")).resolves.toBeDefined();
  });

  it("ends the wait of who aborts, and makes it for the others", async () => {
    const { open, passed } = gate();
    const stub = stubProvider();
    const { pool } = stage({ make: () => passed.then(() => stub.provider) });
    const controller = new AbortController();
    const [given, kept] = [pool.getOrCreate("a", { signal: controller.signal }), pool.getOrCreate("a")];
    controller.abort();
    await expect(given).rejects.toMatchObject({ code: "aborted" });
    open();
    await expect(kept).resolves.toBe(stub.provider);
  });

  it("gives up what nobody waits for any more, and closes what comes all the same", async () => {
    const { open, passed } = gate();
    const stub = stubProvider();
    const signals: AbortSignal[] = [];
    const { pool } = stage({
      make({ signal }) {
        signals.push(signal);
        return passed.then(() => stub.provider);
      },
    });
    const controller = new AbortController();
    const given = pool.getOrCreate("a", { signal: controller.signal });
    await settled();
    controller.abort();
    await expect(given).rejects.toMatchObject({ code: "aborted" });
    expect(signals[0]?.aborted).toBe(true);
    expect(pool.statuses()).toMatchObject([{ key: "a", state: "ending" }]);
    open();
    await settled();
    expect(stub.closedWith).toEqual(["it came too late"]);
    expect(pool.statuses()).toEqual([]);
  });

  it("bounds make() by makeMs", async () => {
    const { pool, clock } = stage({ make: () => new Promise(() => undefined), makeMs: 5000 });
    const request = pool.getOrCreate("a");
    await settled();
    clock.advance(5000);
    await expect(request).rejects.toMatchObject({
      code: "connect_timeout",
      message: expect.stringContaining(
        'make() had no provider for conversation "a" of nobody in particular after 5000 ms',
      ),
    });
  });

  it("makes another one after somebody else closed it", async () => {
    const { pool, events } = stage();
    const first = await pool.getOrCreate("a");
    await first.close();
    const second = await pool.getOrCreate("a");
    expect(second).not.toBe(first);
    expect(events).toMatchObject([{ type: "created" }, { type: "ended", why: "closed" }, { type: "created" }]);
  });

  it("starts the next one of a key when nothing is left of the one before", async () => {
    const { pool, made } = stage();
    await pool.getOrCreate("a");
    const { open, passed } = gate();
    firstOf(made).onClose = () => passed;
    const disposed = pool.dispose("a");
    const next = pool.getOrCreate("a");
    await settled();
    expect(made).toHaveLength(1);
    open();
    await Promise.all([disposed, next]);
    expect(made).toHaveLength(2);
  });

  it.each([[""], [7]])("refuses the key %j", async (key) => {
    const { pool } = stage();
    await expect(pool.getOrCreate(key as string)).rejects.toThrow(TypeError);
  });
});

describe("an idle provider", () => {
  it("is ended after ttlMs without use, with its reason, and no timer stays", async () => {
    const { pool, clock, made, events } = stage({ ttlMs: 1000 });
    await pool.getOrCreate("a");
    clock.advance(900);
    await pool.getOrCreate("a");
    for (let passed = 0; passed < 900; passed += 100) clock.advance(100);
    await settled();
    expect(made[0]?.stub.closedWith).toEqual([]);
    clock.advance(100);
    await settled();
    expect(made[0]?.stub.closedWith).toEqual(["reap"]);
    expect(events.at(-1)).toMatchObject({ type: "ended", why: "idle", reason: "reap", livedMs: 1900 });
    clock.advance(100);
    expect(clock.pending()).toBe(0);
  });

  it("ends a hundred at a time, so that ten thousand that were idle hold nobody up", async () => {
    const { pool, clock } = stage({ ttlMs: 1000 });
    for (let key = 0; key < 250; key += 1) await pool.getOrCreate(`${key}`);
    const left: number[] = [];
    for (const elapsedMs of [1000, 1, 49, 50, 50]) {
      clock.advance(elapsedMs);
      await settled();
      left.push(pool.statuses().length);
    }
    expect(left).toEqual([150, 150, 50, 0, 0]);
    expect(clock.pending()).toBe(0);
  });

  it("is none while it is leased or a call is under way, and counts from their end", async () => {
    const { pool, clock, made } = stage({ ttlMs: 1000 });
    const lease = await pool.lease("a");
    const stub = firstOf(made);
    clock.advance(5000);
    stub.calls = 1;
    lease.release();
    lease.release();
    clock.advance(5000);
    await settled();
    expect(stub.closedWith).toEqual([]);
    stub.endCall();
    clock.advance(999);
    await settled();
    expect(stub.closedWith).toEqual([]);
    clock.advance(1000);
    await settled();
    expect(stub.closedWith).toEqual(["reap"]);
  });
});

describe("a pool that is full", () => {
  it("ends the one that was not used for the longest time, and starts the next in its place", async () => {
    const { pool, clock, made, events } = stage({ maxProviders: 2 });
    await pool.getOrCreate("a");
    clock.advance(10);
    await pool.getOrCreate("b");
    clock.advance(10);
    await pool.getOrCreate("a");
    const { open, passed } = gate();
    if (made[1] !== undefined) made[1].stub.onClose = () => passed;
    const next = pool.getOrCreate("c");
    await settled();
    expect(made).toHaveLength(2); // b is not gone yet
    open();
    await next;
    expect(events).toContainEqual(expect.objectContaining({ type: "ended", key: "b", why: "displaced" }));
    expect(pool.statuses().map(({ key }) => key)).toEqual(["a", "c"]);
  });

  it("refuses at once when all are in use, and says what to do", async () => {
    const { pool } = stage({ maxProviders: 1 });
    using _lease = await pool.lease("a");
    await expect(pool.getOrCreate("b")).rejects.toMatchObject({
      code: "overloaded",
      message: expect.stringContaining(
        'no room for conversation "b" of nobody in particular: 1 of 1 providers are in use, and 1 more would be needed; raise maxProviders',
      ),
    });
    expect(pool.statuses().map(({ key }) => key)).toEqual(["a"]);
  });

  it("lets requests wait in their order for waitMs, and each gets what is given back", async () => {
    const { pool, clock, made } = stage({ maxProviders: 1, waitMs: 1000 });
    const first = await pool.lease("a");
    const second = pool.lease("b");
    const third = pool.lease("c");
    await settled();
    clock.advance(999);
    first.release();
    (await second).release();
    await third;
    expect(made.map(({ key }) => key)).toEqual(["a", "b", "c"]);
    const late = pool.getOrCreate("d");
    await settled();
    clock.advance(1000);
    await expect(late).rejects.toMatchObject({ code: "overloaded" });
  });

  it("gives a place to who waits soon after the last work of one has ended, whatever it was", async () => {
    const { pool, clock, made } = stage({ maxProviders: 1, waitMs: 1000 });
    await pool.getOrCreate("a");
    const stub = firstOf(made);
    stub.calls = 1;
    const next = pool.getOrCreate("b");
    await settled();
    expect(stub.closedWith).toEqual([]);
    stub.endCall();
    clock.advance(50);
    await expect(next).resolves.toBeDefined();
    expect(stub.closedWith).toEqual(["displaced"]);
  });
});

describe("dispose() and shutdownAll()", () => {
  it("ends one with its reason, and says whether there was one", async () => {
    const { pool, made } = stage();
    await pool.getOrCreate("a");
    expect(await pool.dispose("a", "the user left")).toBe(true);
    expect(await pool.dispose("a")).toBe(false);
    expect(made[0]?.stub.closedWith).toEqual(["the user left"]);
  });

  it("lets calls under way finish within drainMs: its servers go first", async () => {
    const { pool, made } = stage({ drainMs: 3000 });
    await pool.getOrCreate("a");
    const stub = firstOf(made);
    const { open, passed } = gate();
    stub.calls = 1;
    stub.onApply = () => passed;
    const disposed = pool.dispose("a");
    await settled();
    expect(stub.applied).toEqual([[]]);
    expect(stub.closedWith).toEqual([]);
    open();
    await disposed;
    expect(stub.closedWith).toEqual(["disposed"]);
  });

  it("rejects who waits for one that is disposed of while it is made, and waits for what is left", async () => {
    const { open, passed } = gate();
    const stub = stubProvider();
    const { pool } = stage({ make: () => passed.then(() => stub.provider) });
    const request = pool.getOrCreate("a");
    await settled();
    const disposed = pool.dispose("a", "not needed");
    await expect(request).rejects.toMatchObject({
      code: "closed",
      message: expect.stringContaining("was given up while it was made: not needed"),
    });
    open();
    expect(await disposed).toBe(true);
    expect(stub.closedWith).toEqual(["it came too late"]);
  });

  it("ends all, refuses new ones, and is the same a second time", async () => {
    const { pool, made, clock } = stage();
    await Promise.all([pool.getOrCreate("a"), pool.getOrCreate("b")]);
    const first = pool.shutdownAll("maintenance");
    expect(pool.shutdownAll("again")).toBe(first);
    await first;
    expect(made.map(({ stub }) => stub.closedWith)).toEqual([["maintenance"], ["maintenance"]]);
    await expect(pool.getOrCreate("a")).rejects.toMatchObject({
      code: "closed",
      message: expect.stringContaining("the pool was shut down: maintenance"),
    });
    expect(() => pool.updateConfig([])).toThrow("the pool was shut down");
    expect(clock.pending()).toBe(0);
  });

  it("waits for no calls when it is shut down, also of what was disposed of before", async () => {
    const { pool, made } = stage({ drainMs: 3000 });
    await pool.getOrCreate("a");
    const stub = firstOf(made);
    const { open, passed } = gate();
    stub.calls = 1;
    stub.onApply = () => passed;
    const disposed = pool.dispose("a");
    const done = pool.shutdownAll("maintenance");
    expect(stub.closedWith).toEqual(["maintenance"]);
    open(); // as a provider that is closed does
    await Promise.all([disposed, done]);
  });

  it("gives a provider that does not close a minute", async () => {
    const { pool, made, clock } = stage();
    await pool.getOrCreate("a");
    firstOf(made).onClose = () => new Promise(() => undefined);
    const done = pool.shutdownAll();
    await settled();
    clock.advance(60_000);
    await done;
    expect(made[0]?.stub.closedWith).toEqual(["client shutdown"]);
  });
});
