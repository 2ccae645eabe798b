import { createMemoryLock, createMemoryStore, type Lock } from "@hostside/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { useManualClock } from "../../../test/manual-clock.ts";

function gate(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open: () => open() };
}

describe("createMemoryLock()", () => {
  it("gives each holder a fencing token by which a store refuses those who lost the lock", async () => {
    const clock = useManualClock();
    const store = createMemoryStore();
    const lock = createMemoryLock();
    const hung = gate();
    const late = lock.withLock("k", 100, async (signal, fencingToken) => {
      await store.set("value", "first", undefined, fencingToken);
      await hung.opened;
      expect(signal.aborted).toBe(true);
      await expect(store.delete("value", fencingToken)).rejects.toMatchObject({ code: "store_failed" });
      await store.set("value", "too late", undefined, fencingToken);
    });
    const next = lock.withLock("k", 100, async (_signal, fencingToken) =>
      store.set("value", "second", undefined, fencingToken),
    );
    await Promise.resolve();
    clock.advance(100);
    await next;
    hung.open();
    await expect(late).rejects.toMatchObject({ code: "store_failed", outcome: "not-sent" });
    await lock.withLock("other", 100, async (_signal, fencingToken) =>
      store.set("another", 1, undefined, fencingToken),
    );
    expect([await store.get("value"), await store.get("another")]).toEqual(["second", 1]);
  });

  it("makes of read, change, write one step, in any schedule", async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.integer({ min: 2, max: 6 }), async (scheduler, workers) => {
        const store = createMemoryStore();
        const lock = createMemoryLock();
        const add = async (): Promise<void> =>
          lock.withLock("sum", 1000, async () => {
            const before = (await scheduler.schedule(store.get("sum"))) as number | undefined;
            await scheduler.schedule(Promise.resolve());
            await store.set("sum", (before ?? 0) + 1);
          });
        const all = Promise.all(Array.from({ length: workers }, add));
        await scheduler.waitFor(all);
        expect(await store.get("sum")).toBe(workers);
      }),
    );
  });

  it("lets different keys work at the same time, and one key in the order of asking", async () => {
    const lock = createMemoryLock();
    const first = gate();
    const order: string[] = [];
    const note = (name: string) => async (): Promise<void> => void order.push(name);
    const work = [
      lock.withLock("a", 60_000, async () => {
        await first.opened;
        order.push("a1");
      }),
      lock.withLock("a", 60_000, note("a2")),
      lock.withLock("a", 60_000, note("a3")),
      lock.withLock("b", 60_000, note("b")),
    ];
    await work[3];
    expect(order).toEqual(["b"]);
    first.open();
    await Promise.all(work);
    expect(order).toEqual(["b", "a1", "a2", "a3"]);
  });

  it("settles as the work does, gives the lock back all the same, and leaves no timer", async () => {
    const clock = useManualClock();
    const lock = createMemoryLock();
    const failure = new Error("no");
    await expect(lock.withLock("a", 10, () => Promise.reject(failure))).rejects.toBe(failure);
    await expect(
      lock.withLock("a", 10, () => {
        throw failure;
      }),
    ).rejects.toBe(failure);
    expect(await lock.withLock("a", 10, async () => 7)).toBe(7);
    expect(clock.pending()).toBe(0);
  });

  it("passes on when a lease is over, and tells the work that it is alone no more", async () => {
    const clock = useManualClock();
    const lock = createMemoryLock();
    const hung = gate();
    let reported: AbortSignal | undefined;
    const first = lock.withLock("a", 1000, async (signal) => {
      reported = signal;
      await hung.opened;
      return "late";
    });
    const second = lock.withLock("a", 1000, async () => "next");
    await Promise.resolve();
    clock.advance(999);
    expect(reported?.aborted).toBe(false);
    clock.advance(1);
    expect(reported?.reason).toMatchObject({ code: "aborted", outcome: "unknown" });
    expect(await second).toBe("next");
    hung.open();
    expect(await first).toBe("late");
    // What came late gave nothing back that was another one's by then.
    const third = gate();
    const holding = lock.withLock("a", 1000, () => third.opened);
    let entered = false;
    const fourth = lock.withLock("a", 1000, async () => void (entered = true));
    await Promise.resolve();
    expect(entered).toBe(false);
    third.open();
    await Promise.all([holding, fourth]);
    expect(clock.pending()).toBe(0);
  });

  it("has room for so many who wait, and says so to the next", async () => {
    const lock: Lock = createMemoryLock();
    const first = gate();
    const work = Array.from({ length: 1001 }, () => lock.withLock("a", 60_000, () => first.opened));
    await expect(lock.withLock("a", 60_000, async () => {})).rejects.toMatchObject({
      code: "overloaded",
      outcome: "not-sent",
    });
    first.open();
    await Promise.all(work);
  });

  it.each<[string, () => unknown, string]>([
    ["a lease without end", () => createMemoryLock().withLock("a", Infinity, async () => {}), "leaseMs must be"],
    ["no lease", () => createMemoryLock().withLock("a", 0, async () => {}), "leaseMs must be"],
  ])("refuses %s", async (_, act, message) => {
    const error: unknown = await (async () => act())().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(TypeError);
    expect(String(error)).toContain(message);
  });
});
