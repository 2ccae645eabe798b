import { withGetters } from "./with-getters.ts";

/** Things that come and go by the million, few at a time. */
export interface Slots<Value> {
  /** Returns the slot that it was put into. Slots are used again. */
  add(value: Value): number;
  get(slot: number): Value | undefined;
  /** Empties a slot, if this value is still in it. */
  remove(slot: number, value: Value): void;
  readonly size: number;
  /** All values, as they are now. */
  values(): readonly Value[];
}

/**
 * Makes an empty set of slots. They are not a `Set` or `Map` of the values, because of how V8 collects garbage: one that lives long
 * makes itself a new table every so many insertions, in the old generation, and the discarded one keeps alive whatever was in it
 * until the next full collection. With 64 calls in flight that was nearly every call's garbage, and up to 40 % of its processor time.
 */
export function createSlots<Value extends object>(): Slots<Value> {
  const slots: (Value | undefined)[] = [];
  const free: number[] = [];
  return withGetters<Slots<Value>, "size">(
    {
      add(value) {
        const slot = free.pop() ?? slots.length;
        slots[slot] = value;
        return slot;
      },
      get: (slot) => slots[slot],
      remove(slot, value) {
        if (slots[slot] !== value) return;
        slots[slot] = undefined;
        free.push(slot);
      },
      values: () => slots.filter((value) => value !== undefined),
    },
    { size: () => slots.length - free.length },
  );
}
