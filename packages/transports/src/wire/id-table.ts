import { withGetters } from "@toolport/core/implement";
import { createSlots } from "../message/reused-slots.ts";

/** What waits under ids that are counted up. */
export interface IdTable<Value> {
  readonly size: number;
  get(id: number): Value | undefined;
  /** For an id that is not in use. */
  put(id: number, value: Value): void;
  /** Removes and returns. */
  take(id: number): Value | undefined;
  /** In the order in which they were put. */
  ids(): readonly number[];
}

/** Makes an empty table. A `Map` of numbers alone, because one of the values would keep their garbage; see {@linkcode createSlots}. */
export function createIdTable<Value extends object>(): IdTable<Value> {
  const slots = createSlots<Value>();
  const slotOf = new Map<number, number>();
  const get = (id: number): Value | undefined => {
    const slot = slotOf.get(id);
    return slot === undefined ? undefined : slots.get(slot);
  };
  return withGetters<IdTable<Value>, "size">(
    {
      get,
      put: (id, value) => void slotOf.set(id, slots.add(value)),
      take(id) {
        const slot = slotOf.get(id);
        const value = slot === undefined ? undefined : slots.get(slot);
        if (slot === undefined || value === undefined) return undefined;
        slotOf.delete(id);
        slots.remove(slot, value);
        return value;
      },
      ids: () => Array.from(slotOf.keys()),
    },
    { size: () => slotOf.size },
  );
}
