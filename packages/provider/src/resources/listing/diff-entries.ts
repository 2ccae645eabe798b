import { sameJson } from "@hostside/core/implement";

/** What became of the entries of one server. */
export interface EntriesDiff<T> {
  readonly added: readonly T[];
  /** As they were. */
  readonly removed: readonly T[];
  /** Still there under the same key, and not the same: as they are now. */
  readonly changed: readonly T[];
}

/**
 * Compares two lists by their keys; `undefined` when nothing changed. In the order of the lists.
 */
export function diffEntries<T>(
  before: ReadonlyMap<string, T>,
  after: ReadonlyMap<string, T>,
): EntriesDiff<T> | undefined {
  const added: T[] = [];
  const changed: T[] = [];
  for (const [key, entry] of after) {
    const known = before.get(key);
    if (known === undefined) added.push(entry);
    else if (!isSame(known, entry)) changed.push(entry);
  }
  const removed = Array.from(before).flatMap(([key, entry]) => (after.has(key) ? [] : [entry]));
  return added.length + changed.length + removed.length === 0 ? undefined : { added, removed, changed };
}

// What is nested too deep to be compared counts as changed.
function isSame(a: unknown, b: unknown): boolean {
  try {
    return sameJson(a, b);
  } catch {
    return false;
  }
}
