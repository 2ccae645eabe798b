/** How often each text is there. */
export interface Tally {
  has(text: string): boolean;
  keys(): Iterable<string>;
  add(text: string): void;
  /** Whether that was the last of it. */
  remove(text: string): boolean;
}

/** Counts nothing yet. */
export function createTally(): Tally {
  const counts = new Map<string, number>();
  return {
    has: (text) => counts.has(text),
    keys: () => counts.keys(),
    add(text) {
      counts.set(text, (counts.get(text) ?? 0) + 1);
    },
    remove(text) {
      const left = (counts.get(text) ?? 0) - 1;
      if (left > 0) counts.set(text, left);
      return left > 0 ? false : counts.delete(text);
    },
  };
}
