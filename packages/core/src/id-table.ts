import { createSlots } from "./reused-slots.ts";
import { withGetters } from "./with-getters.ts";

/** What waits under ids: things that come and go by the million, few at a time. */
export interface IdTable<Value, Id extends string | number = number> {
  readonly size: number;
  get(id: Id): Value | undefined;
  /** For an id that is not in use. */
  put(id: Id, value: Value): void;
  /** Removes and returns. */
  take(id: Id): Value | undefined;
  /** In the order in which they were put. */
  ids(): readonly Id[];
  /** All values, as they are now, in no particular order. */
  values(): readonly Value[];
}

/** Makes an empty table. A `Map` of ids and numbers alone, because one of the values would keep their garbage; see {@linkcode createSlots}. */
export function createIdTable<Value extends object, Id extends string | number = number>(): IdTable<Value, Id> {
  const slots = createSlots<Value>();
  const slotOf = new Map<Id, number>();
  const get = (id: Id): Value | undefined => {
    const slot = slotOf.get(id);
    return slot === undefined ? undefined : slots.get(slot);
  };
  return withGetters<IdTable<Value, Id>, "size">(
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
      values: () => slots.values(),
    },
    { size: () => slotOf.size },
  );
}
