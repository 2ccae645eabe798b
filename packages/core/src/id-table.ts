import { createLazyMap } from "./lazy-collections.ts";
import { createSlots } from "./reused-slots.ts";

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

/**
 * Makes an empty table. A `Map` of ids and numbers alone, because one of the values would keep
 * their garbage; see {@linkcode createSlots}. One that comes when there is no other needs neither,
 * and leaves nothing.
 */
export function createIdTable<Value extends object, Id extends string | number = number>(): IdTable<Value, Id> {
  return new SlotsById<Value, Id>();
}

class SlotsById<Value extends object, Id extends string | number> implements IdTable<Value, Id> {
  readonly #slots = createSlots<Value>();
  readonly #slotOf = createLazyMap<Id, number>();
  // Put when the table was empty, and so before all others.
  #firstId: Id | undefined;
  #first: Value | undefined;

  get size(): number {
    return this.#slotOf.size + (this.#first === undefined ? 0 : 1);
  }

  get(id: Id): Value | undefined {
    if (this.#firstId === id) return this.#first;
    const slot = this.#slotOf.get(id);
    return slot === undefined ? undefined : this.#slots.get(slot);
  }

  put(id: Id, value: Value): void {
    if (this.#first === undefined && this.#slotOf.size === 0) {
      this.#firstId = id;
      this.#first = value;
    } else this.#slotOf.set(id, this.#slots.add(value));
  }

  take(id: Id): Value | undefined {
    if (this.#firstId === id) return this.#takeFirst();
    const slot = this.#slotOf.get(id);
    const value = slot === undefined ? undefined : this.#slots.get(slot);
    if (slot === undefined || value === undefined) return undefined;
    this.#slotOf.delete(id);
    this.#slots.remove(slot, value);
    return value;
  }

  ids(): readonly Id[] {
    const others = Array.from(this.#slotOf.keys());
    return this.#firstId === undefined ? others : [this.#firstId, ...others];
  }

  values(): readonly Value[] {
    return this.#first === undefined ? this.#slots.values() : [this.#first, ...this.#slots.values()];
  }

  #takeFirst(): Value | undefined {
    const value = this.#first;
    this.#firstId = undefined;
    this.#first = undefined;
    return value;
  }
}
