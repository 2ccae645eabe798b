import { describe, expect, it } from "vitest";
import { firstOf, gate, settled, stage } from "./stage.ts";
import { stubProvider } from "./stub-provider.ts";

describe("a pool that is full, and several who want a place", () => {
  it("never hands out a lease of what was displaced in the same turn", async () => {
    const { pool, made } = stage({ maxProviders: 1, waitMs: 1000 });
    await pool.getOrCreate("a");
    const other = pool.getOrCreate("b");
    const lease = pool.lease("a");
    await settled();
    expect(firstOf(made).closedWith).toEqual([]);
    using held = await lease;
    expect(held.provider.closed).toBe(false);
    held.release();
    await other;
  });

  it("leaves one that has just been made to who waited for it", async () => {
    const { open, passed } = gate();
    const { pool, clock } = stage({
      maxProviders: 1,
      waitMs: 1000,
      make: () => passed.then(() => stubProvider().provider),
    });
    const lease = pool.lease("a");
    await settled();
    open();
    // At each step between the provider and the lease.
    const others = [];
    for (let step = 0; step < 20; step += 1) {
      await Promise.resolve();
      others.push(pool.getOrCreate(`b${step}`).catch((error: unknown) => error));
    }
    using held = await lease;
    expect(held.provider.closed).toBe(false);
    clock.advance(1000);
    for (const other of others) expect(await other).toMatchObject({ code: "overloaded" });
  });

  it("bounds each wait by waitMs, also of who came when room was made for those before", async () => {
    const { open, passed } = gate();
    const { pool, clock } = stage({
      maxProviders: 1,
      waitMs: 1000,
      make: ({ key }) => (key === "a" ? passed.then(() => stubProvider().provider) : stubProvider().provider),
    });
    const first = pool.getOrCreate("a");
    await settled();
    const second = pool.lease("b");
    await settled();
    open();
    await first;
    const third = pool.lease("c");
    using _held = await second;
    clock.advance(1000);
    await expect(third).rejects.toMatchObject({ code: "overloaded" });
  });

  it("does not refuse who waits when a place is about to come free, and displaces no other for it", async () => {
    const { pool, made, clock } = stage({ maxProviders: 2, waitMs: 1000 });
    await pool.lease("a");
    const busy = await pool.lease("b");
    const { open, passed } = gate();
    firstOf(made).onClose = () => passed;
    const waiting = pool.lease("c");
    await settled();
    const disposed = pool.dispose("a");
    clock.advance(1000);
    await settled();
    open();
    await disposed;
    await waiting;
    expect(busy.provider.closed).toBe(false);
  });
});
