/** The tools that one agent selected so far, up to a limit (AN-79). */
export interface Selection {
  /** In order of use, the latest last. */
  readonly names: readonly string[];
  /**
   * Adds names. When the limit is passed, those that were not used for the longest time give way; names of one call never push out
   * each other. Returns the names that found no place.
   */
  add(names: readonly string[]): readonly string[];
  /** Notes that a tool was used. */
  touch(name: string): void;
}

/** A selection of at most `limit` names. */
export function createSelection(limit: number): Selection {
  const names = new Set<string>();
  return {
    get names() {
      return Array.from(names);
    },
    add(more) {
      const wanted = Array.from(new Set(more));
      const accepted = wanted.slice(0, limit);
      for (const name of accepted) {
        names.delete(name);
        names.add(name);
      }
      for (const name of names) {
        if (names.size <= limit) break;
        names.delete(name);
      }
      return wanted.slice(limit);
    },
    touch(name) {
      if (names.delete(name)) names.add(name);
    },
  };
}
