import { createMemoryStore, HostsideError, type Store } from "@hostside/core";
import { createFallbackStore } from "@hostside/cluster";
import { describe, expect, it } from "vitest";
import { createManualClock } from "../../../../test/manual-clock.ts";
import { describeStore } from "../../../../test/store-contract.ts";

/**
 * A store that can be switched off: its answers then fail, and it may do what it was asked all the
 * same.
 */
function switchable(inner: Store = createMemoryStore()): Store & { fails?: "not-sent" | "unknown" | undefined } {
  const gate = async (): Promise<void> => {
    if (store.fails !== undefined) throw new HostsideError("down", { code: "store_failed", outcome: store.fails });
  };
  const store: Store & { fails?: "not-sent" | "unknown" | undefined } = {
    get: async (key) => (await gate(), inner.get(key)),
    set: async (key, value, ...rest) => (await gate(), inner.set(key, value, ...rest)),
    delete: async (key, fencingToken) => (await gate(), inner.delete(key, fencingToken)),
  };
  return store;
}

describe("createFallbackStore()", () => {
  describeStore(() => ({ store: createFallbackStore(createMemoryStore()) }));

  it("answers with what was read or written last while the store fails, and with its error for what it has not seen", async () => {
    const inner = switchable();
    const [store, elsewhere] = [createFallbackStore(inner), inner];
    await elsewhere.set("read", { a: 1 });
    await store.get("read");
    await store.set("written", [2]);
    await store.set("deleted", 3);
    await store.delete("deleted");
    inner.fails = "not-sent";
    expect([await store.get("read"), await store.get("written")]).toEqual([{ a: 1 }, [2]]);
    await expect(store.get("deleted")).rejects.toMatchObject({ code: "store_failed" });
    await expect(store.get("never seen")).rejects.toMatchObject({ code: "store_failed" });
    await expect(store.set("read", 4)).rejects.toMatchObject({ code: "store_failed" });
    await expect(store.delete("read")).rejects.toMatchObject({ code: "store_failed" });
    // Nothing was written.
    expect(await store.get("read")).toEqual({ a: 1 });
    inner.fails = undefined;
    await elsewhere.set("read", 5);
    expect(await store.get("read")).toBe(5);
  });

  it("remembers nothing of what may have been written", async () => {
    const inner = switchable();
    const store = createFallbackStore(inner);
    await store.set("a", 1);
    inner.fails = "unknown";
    await expect(store.set("a", 2)).rejects.toMatchObject({ outcome: "unknown" });
    await expect(store.get("a")).rejects.toMatchObject({ code: "store_failed" });
  });

  it("does not remember an answer that came after a later one", async () => {
    const inner = switchable();
    let answer = (): void => {};
    const slow: Store = {
      ...inner,
      get: async (key) => (await new Promise<void>((resolve) => (answer = resolve)), inner.get(key)),
    };
    const store = createFallbackStore({ ...slow, get: async (key) => (await slow.get(key), "old") });
    const reading = store.get("a");
    await store.set("a", "new");
    answer();
    expect(await reading).toBe("old");
    inner.fails = "not-sent";
    const again = store.get("a");
    answer();
    expect(await again).toBe("new");
  });

  it("forgets with the time of what was written here, and holds no more than it may", async () => {
    const clock = createManualClock();
    const inner = switchable(createMemoryStore({ clock }));
    const store = createFallbackStore(inner, { clock, maxEntries: 2, maxLength: 8 });
    await store.set("short", 1, 1000);
    await store.get("short");
    await store.set("large", "123456789");
    inner.fails = "not-sent";
    expect(await store.get("short")).toBe(1);
    await expect(store.get("large")).rejects.toMatchObject({ code: "store_failed" });
    clock.advance(1000);
    await expect(store.get("short")).rejects.toMatchObject({ code: "store_failed" });
    inner.fails = undefined;
    for (const key of ["a", "b", "c"]) await store.set(key, key);
    await store.set("d", "1234");
    inner.fails = "not-sent";
    const left = await Promise.all(["a", "b", "c", "d"].map((key) => store.get(key).catch(() => undefined)));
    expect(left).toEqual(
      [undefined, undefined, undefined, "1234"].map((value, index) => (index === 2 ? undefined : value)),
    );
  });

  it.each<[string, () => unknown, string]>([
    ["what is no store", () => createFallbackStore({ get: async () => 1 } as never), "a method set()"],
    ["nothing", () => createFallbackStore(undefined as never), "a method get()"],
    ["a misspelt option", () => createFallbackStore(createMemoryStore(), { max: 1 } as never), 'no option "max"'],
    ["no room", () => createFallbackStore(createMemoryStore(), { maxEntries: 0 }), "maxEntries must be a positive"],
  ])("refuses %s", (_, act, message) => {
    expect(act).toThrow(TypeError);
    expect(act).toThrow(message);
  });
});
