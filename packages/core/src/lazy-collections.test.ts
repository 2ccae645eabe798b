import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createLazyMap, createLazySet, type LazyMap, type LazySet } from "./collections.ts";

interface Step {
  readonly kind: "add" | "clear" | "delete";
  readonly key: number;
}

const steps = fc.array(
  fc.record({ kind: fc.constantFrom("add" as const, "delete" as const, "clear" as const), key: fc.nat(5) }),
);

function playMap(map: LazyMap<number, string> | Map<number, string>, all: readonly Step[]): readonly unknown[] {
  const said = all.map(({ kind, key }, index) => {
    if (kind === "add") map.set(key, `${index}`);
    if (kind === "clear") map.clear();
    return [kind === "delete" && map.delete(key), map.size, map.has(key), map.get(key)];
  });
  return [...said, Array.from(map.entries()), Array.from(map.keys()), Array.from(map.values())];
}

function playSet(set: LazySet<number> | Set<number>, all: readonly Step[]): readonly unknown[] {
  const said = all.map(({ kind, key }) => {
    if (kind === "add") set.add(key);
    if (kind === "clear") set.clear();
    return [kind === "delete" && set.delete(key), set.size, set.has(key)];
  });
  return [...said, Array.from(set.values())];
}

describe("createLazyMap()", () => {
  it("says what a Map says", () => {
    fc.assert(
      fc.property(steps, (all) => {
        expect(playMap(createLazyMap(), all)).toEqual(playMap(new Map(), all));
      }),
    );
  });
});

describe("createLazySet()", () => {
  it("says what a Set says", () => {
    fc.assert(
      fc.property(steps, (all) => {
        expect(playSet(createLazySet(), all)).toEqual(playSet(new Set(), all));
      }),
    );
  });
});
