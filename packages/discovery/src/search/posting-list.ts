/**
 * Which documents have a term, and how much it says about each: two lists side by side, because
 * queries read them end to end.
 */
export interface PostingList {
  readonly slots: number[];
  readonly impacts: number[];
}

/** An empty list. */
export function createPostingList(): PostingList {
  return { slots: [], impacts: [] };
}

/** Adds an entry at the end. */
export function appendPosting({ slots, impacts }: PostingList, slot: number, impact: number): void {
  slots.push(slot);
  impacts.push(impact);
}
