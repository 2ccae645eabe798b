/** Which documents have a term, and how much it says about each. Eight bytes per entry, and growing by doubling. */
export interface PostingList {
  length: number;
  /** Document slots; only the first `length` entries mean something. */
  slots: Int32Array;
  /** Impacts, parallel to `slots`. */
  impacts: Float32Array;
}

/** An empty list. */
export function createPostingList(): PostingList {
  return { length: 0, slots: new Int32Array(2), impacts: new Float32Array(2) };
}

/** Adds an entry at the end. */
export function appendPosting(list: PostingList, slot: number, impact: number): void {
  if (list.length === list.slots.length) {
    list.slots = grow(list.slots, new Int32Array(list.length * 2));
    list.impacts = grow(list.impacts, new Float32Array(list.length * 2));
  }
  list.slots[list.length] = slot;
  list.impacts[list.length] = impact;
  list.length += 1;
}

function grow<T extends Int32Array | Float32Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
