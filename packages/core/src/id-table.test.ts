import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createIdTable } from "./collections.ts";

describe("an id table", () => {
  it("gives back what was put under an id, once", () => {
    const table = createIdTable<{ readonly name: string }>();
    table.put(7, { name: "seven" });
    expect(table.get(7)).toEqual({ name: "seven" });
    expect(table.take(7)).toEqual({ name: "seven" });
    expect(table.take(7)).toBeUndefined();
    expect(table.get(7)).toBeUndefined();
  });

  it("does not mistake a later id for one whose place it took", () => {
    const table = createIdTable<{ readonly name: string }>();
    table.put(1, { name: "one" });
    table.take(1);
    table.put(2, { name: "two" });
    expect(table.get(1)).toBeUndefined();
    expect(table.take(2)).toEqual({ name: "two" });
  });

  it("tells its ids in order, and how many there are", () => {
    const table = createIdTable<{ readonly name: string }>();
    for (const id of [1, 2, 3]) table.put(id, { name: String(id) });
    table.take(2);
    table.put(4, { name: "4" });
    expect(table.ids()).toEqual([1, 3, 4]);
    expect(table.size).toBe(3);
    expect(
      table
        .values()
        .map(({ name }) => name)
        .sort(),
    ).toEqual(["1", "3", "4"]);
  });

  it("is a Map, whatever is put and taken", () => {
    const deeds = fc.array(fc.record({ id: fc.nat({ max: 5 }), isPut: fc.boolean() }), { maxLength: 40 });
    fc.assert(
      fc.property(deeds, (given) => {
        const table = createIdTable<{ readonly id: number }>();
        const map = new Map<number, { readonly id: number }>();
        for (const { id, isPut } of given) {
          const value = { id };
          if (isPut && !map.has(id)) table.put(id, value);
          const taken = isPut ? undefined : table.take(id);
          expect(taken).toBe(isPut ? undefined : map.get(id));
          if (isPut && !map.has(id)) map.set(id, value);
          if (!isPut) map.delete(id);
          expect([table.size, table.ids(), table.get(id)]).toEqual([map.size, [...map.keys()], map.get(id)]);
          expect(new Set(table.values())).toEqual(new Set(map.values()));
          expect(table.values()).toHaveLength(map.size);
        }
      }),
    );
  });
});
