import { splitWords } from "./split-words.ts";

/** All names of an index in order, to find those that are, or begin with, what was typed. */
export interface NameOrder {
  add(name: string, slot: number): void;
  /** Forgets every name whose slot is gone; `moveTo` gives the new slot of the others. */
  sweep(moveTo: (slot: number) => number | undefined): void;
  /**
   * Which slots have a name that is the text, and which have one that begins with it. May name
   * slots that are gone.
   */
  find(text: string): NameMatches;
}

/** What {@linkcode NameOrder.find} found. */
export interface NameMatches {
  readonly exact: ReadonlySet<number>;
  /** Those that are not exact. */
  readonly prefix: ReadonlySet<number>;
}

const shortestPrefix = 3;
const longestKey = 160;
// What splitting and joining would leave as it is.
const plainName = /^(?:[a-z]+|[0-9]+)(?:_(?:[a-z]+|[0-9]+)){0,40}$/;
const nothing: NameMatches = { exact: new Set(), prefix: new Set() };

/**
 * An empty order. Adding is cheap; the next search sorts what was added and merges it in one pass.
 */
export function createNameOrder(): NameOrder {
  // Most keys belong to one tool; a list for each would cost more than all the rest of it.
  let slotsOf = new Map<string, number | number[]>();
  let sorted: string[] = [];
  let fresh: string[] = [];

  const add = (key: string, slot: number): void => {
    const slots = slotsOf.get(key);
    if (slots === undefined) fresh.push(key);
    if (typeof slots === "object") slots.push(slot);
    else slotsOf.set(key, slots === undefined ? slot : [slots, slot]);
  };

  const settle = (): void => {
    if (fresh.length === 0) return;
    sorted = merge(sorted, fresh.sort());
    fresh = [];
  };

  return {
    add(name, slot) {
      const key = keyOf(name);
      if (key !== "") add(key, slot);
    },
    sweep(moveTo) {
      const before = slotsOf;
      slotsOf = new Map();
      sorted = [];
      fresh = [];
      for (const [key, slots] of before) {
        for (const target of listOf(slots).map(moveTo)) if (target !== undefined) add(key, target);
      }
    },
    find(text) {
      const key = text.length > longestKey ? "" : keyOf(text);
      if (key === "") return nothing;
      settle();
      const exact = new Set(listOf(slotsOf.get(key)));
      const prefix = new Set<number>();
      if (key.length < shortestPrefix) return { exact, prefix };
      for (let at = lowerBound(sorted, key); sorted[at]?.startsWith(key) === true; at += 1) {
        for (const slot of listOf(slotsOf.get(sorted[at] ?? ""))) if (!exact.has(slot)) prefix.add(slot);
      }
      return { exact, prefix };
    },
  };
}

function listOf(slots: number | readonly number[] | undefined): readonly number[] {
  if (slots === undefined) return [];
  return typeof slots === "number" ? [slots] : slots;
}

/** `listIssues`, `list-issues` and `List issues` are one name to whoever types it. */
function keyOf(text: string): string {
  return plainName.test(text) ? text : splitWords(text.slice(0, longestKey)).join("_");
}

function merge(a: readonly string[], b: readonly string[]): string[] {
  if (a.length === 0) return b.slice();
  const merged: string[] = [];
  let next = 0;
  for (const key of a) {
    for (let other = b[next]; other !== undefined && other < key; other = b[next]) {
      merged.push(other);
      next += 1;
    }
    merged.push(key);
  }
  return merged.concat(b.slice(next));
}

function lowerBound(sorted: readonly string[], key: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? "") < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
