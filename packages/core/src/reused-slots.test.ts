import { describe, expect, it } from "vitest";
import { createSlots } from "./collections.ts";

describe("slots", () => {
  it("hold what was added and not removed", () => {
    const slots = createSlots<{ readonly name: string }>();
    const [a, b] = [{ name: "a" }, { name: "b" }];
    const slotOfA = slots.add(a);
    const slotOfB = slots.add(b);
    slots.remove(slotOfA, a);
    expect(slots.values()).toEqual([b]);
    expect(slots.size).toBe(1);
    expect([slots.get(slotOfA), slots.get(slotOfB)]).toEqual([undefined, b]);
  });

  it("are used again, and who left long ago removes nobody else", () => {
    const slots = createSlots<{ readonly name: string }>();
    const [a, b] = [{ name: "a" }, { name: "b" }];
    const slot = slots.add(a);
    slots.remove(slot, a);
    slots.remove(slot, a);
    expect(slots.add(b)).toBe(slot);
    slots.remove(slot, a);
    expect(slots.values()).toEqual([b]);
    // The slot was given back once only.
    expect(slots.add(a)).not.toBe(slot);
  });

  it("can be emptied while they are walked", () => {
    const slots = createSlots<{ readonly name: string }>();
    const values = ["a", "b", "c"].map((name) => ({ name }));
    const taken = values.map((value) => slots.add(value));
    const seen = slots.values().map((value, index) => {
      slots.remove(taken[index] ?? -1, value);
      return value.name;
    });
    expect(seen).toEqual(["a", "b", "c"]);
    expect(slots.values()).toEqual([]);
  });
});
