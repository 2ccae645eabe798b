import { createMemoryStore, isHostsideError, type Store } from "@hostside/core";
import fc from "fast-check";
import { Keyv } from "keyv";
import { describe, expect, it } from "vitest";
import { useManualClock } from "../../../test/manual-clock.ts";
import { describeStore } from "../../../test/store-contract.ts";

describe.each<[string, () => Store]>([
  ["createMemoryStore()", () => createMemoryStore()],
  ["a Keyv", () => new Keyv()],
])("%s", (_, create) => {
  describeStore(() => ({ store: create() }));
});

describe("createMemoryStore()", () => {
  it("forgets a value when its time is over, not before, and one without a time never", async () => {
    const clock = useManualClock();
    const store = createMemoryStore();
    await store.set("short", 1, 1000);
    await store.set("long", 2);
    clock.advance(999);
    expect(await store.get("short")).toBe(1);
    clock.advance(1);
    expect(await store.get("short")).toBeUndefined();
    clock.advance(1e12);
    expect(await store.get("long")).toBe(2);
    // A new time counts from the new value.
    await store.set("long", 3, 5);
    clock.advance(4);
    await store.set("long", 4, 5);
    clock.advance(4);
    expect(await store.get("long")).toBe(4);
  });

  it("never holds more than it may: what is over goes first, then what was set longest ago", async () => {
    const clock = useManualClock();
    const store = createMemoryStore();
    for (let entry = 3; entry <= 10_000; entry += 1) await store.set(`other ${entry}`, entry);
    await store.set("a", 1);
    await store.set("b", 2, 10);
    clock.advance(10);
    await store.set("c", 3);
    expect([await store.get("a"), await store.get("b"), await store.get("c")]).toEqual([1, undefined, 3]);
    await store.set("a", 4);
    await store.set("d", 5);
    expect([await store.get("a"), await store.get("other 3"), await store.get("other 4")]).toEqual([4, undefined, 4]);
  });

  it("is a map with times, whatever is done with it", async () => {
    const key = fc.constantFrom("a", "b", "c");
    const step = fc.oneof(
      fc.record({
        do: fc.constant("set" as const),
        key,
        value: fc.nat(9),
        ttlMs: fc.option(fc.integer({ min: 1, max: 5 })),
      }),
      fc.record({ do: fc.constant("delete" as const), key }),
      fc.record({ do: fc.constant("wait" as const), ms: fc.nat(4) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step), async (steps) => {
        const clock = useManualClock();
        const store = createMemoryStore();
        const model = new Map<string, { value: number; endsAt: number }>();
        for (const next of steps) {
          if (next.do === "wait") clock.advance(next.ms);
          else if (next.do === "delete") {
            await store.delete(next.key);
            model.delete(next.key);
          } else {
            await store.set(next.key, next.value, next.ttlMs ?? undefined);
            model.set(next.key, { value: next.value, endsAt: clock.now() + (next.ttlMs ?? Number.POSITIVE_INFINITY) });
          }
          for (const name of ["a", "b", "c"]) {
            const known = model.get(name);
            expect(await store.get(name)).toBe(
              known !== undefined && known.endsAt > clock.now() ? known.value : undefined,
            );
          }
        }
      }),
    );
  });

  it.each<[string, () => unknown, string]>([
    ["a value that JSON cannot write", () => createMemoryStore().set("a", undefined as never), 'the value of "a"'],
    ["no time", () => createMemoryStore().set("a", 1, 0), "ttlMs must be a number above 0"],
    ["a time that is none", () => createMemoryStore().set("a", 1, Number.NaN), "ttlMs must be a number above 0"],
  ])("refuses %s", async (_, act, message) => {
    const error: unknown = await (async () => act())().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(TypeError);
    expect(isHostsideError(error)).toBe(false);
    expect(String(error)).toContain(message);
  });
});
