/** A `Map` as far as it is needed here. */
export interface LazyMap<Key, Value> extends Pick<Map<Key, Value>, "clear" | "delete" | "get" | "has" | "size"> {
  set(key: Key, value: Value): void;
  keys(): IterableIterator<Key>;
  values(): IterableIterator<Value>;
  entries(): IterableIterator<[Key, Value]>;
}

/** A `Set` as far as it is needed here. */
export interface LazySet<Value> extends Pick<Set<Value>, "clear" | "delete" | "has" | "size"> {
  add(value: Value): void;
  values(): IterableIterator<Value>;
}

/**
 * Makes a map whose table is made with its first entry. An empty `Map` takes 180 bytes and this
 * takes 32: for what each connection has and few ever use.
 */
export function createLazyMap<Key, Value>(): LazyMap<Key, Value> {
  return new MapOnDemand<Key, Value>();
}

/** Makes a set of the same kind as {@linkcode createLazyMap}. */
export function createLazySet<Value>(): LazySet<Value> {
  return new SetOnDemand<Value>();
}

class MapOnDemand<Key, Value> implements LazyMap<Key, Value> {
  #map: Map<Key, Value> | undefined;

  get size(): number {
    return this.#map?.size ?? 0;
  }
  get(key: Key): Value | undefined {
    return this.#map?.get(key);
  }
  has(key: Key): boolean {
    return this.#map?.has(key) === true;
  }
  set(key: Key, value: Value): void {
    this.#map ??= new Map();
    this.#map.set(key, value);
  }
  delete(key: Key): boolean {
    return this.#map?.delete(key) === true;
  }
  clear(): void {
    this.#map?.clear();
  }
  keys(): IterableIterator<Key> {
    return this.#map?.keys() ?? [].values();
  }
  values(): IterableIterator<Value> {
    return this.#map?.values() ?? [].values();
  }
  entries(): IterableIterator<[Key, Value]> {
    return this.#map?.entries() ?? [].values();
  }
}

class SetOnDemand<Value> implements LazySet<Value> {
  #set: Set<Value> | undefined;

  get size(): number {
    return this.#set?.size ?? 0;
  }
  has(value: Value): boolean {
    return this.#set?.has(value) === true;
  }
  add(value: Value): void {
    this.#set ??= new Set();
    this.#set.add(value);
  }
  delete(value: Value): boolean {
    return this.#set?.delete(value) === true;
  }
  clear(): void {
    this.#set?.clear();
  }
  values(): IterableIterator<Value> {
    return this.#set?.values() ?? [].values();
  }
}

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
 * Makes an empty set of slots. They are not a `Set` or `Map` of the values, because of how V8
 * collects garbage: one that lives long makes itself a new table every so many insertions, in the
 * old generation, and the discarded one keeps alive whatever was in it until the next full
 * collection. With 64 calls in flight that was nearly every call's garbage, and up to 40 % of its
 * processor time.
 */
export function createSlots<Value extends object>(): Slots<Value> {
  return new ReusedSlots<Value>();
}

// A class, because each connection has several: with functions of their own they would be eight
// times as large.
class ReusedSlots<Value extends object> implements Slots<Value> {
  readonly #slots: (Value | undefined)[] = [];
  readonly #free: number[] = [];

  get size(): number {
    return this.#slots.length - this.#free.length;
  }

  add(value: Value): number {
    const slot = this.#free.pop() ?? this.#slots.length;
    this.#slots[slot] = value;
    return slot;
  }

  get(slot: number): Value | undefined {
    return this.#slots[slot];
  }

  remove(slot: number, value: Value): void {
    if (this.#slots[slot] !== value) return;
    this.#slots[slot] = undefined;
    this.#free.push(slot);
  }

  values(): readonly Value[] {
    return this.#slots.filter((value) => value !== undefined);
  }
}

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
