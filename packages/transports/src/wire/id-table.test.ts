import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createIdTable } from "./id-table.ts";

const step = fc.record({ put: fc.boolean(), id: fc.nat({ max: 8 }), value: fc.string({ maxLength: 3 }) });

describe("an id table", () => {
  it("holds what a Map would hold, in its order", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const table = createIdTable<string>();
        const model = new Map<number, string>();
        for (const { put, id, value } of steps) {
          if (put) {
            table.put(id, value);
            model.set(id, value);
          } else {
            expect(table.take(id)).toBe(model.get(id));
            model.delete(id);
          }
          expect(table.size).toBe(model.size);
          expect(table.ids()).toEqual([...model.keys()]);
          for (const [known, held] of model) expect(table.get(known)).toBe(held);
          expect(table.get(99)).toBeUndefined();
        }
      }),
    );
  });

  it("knows no id twice", () => {
    const table = createIdTable<string>();
    table.put(1, "a");
    expect(table.take(1)).toBe("a");
    expect(table.take(1)).toBeUndefined();
    table.put(2, "b");
    expect(table.get(1)).toBeUndefined();
  });
});
