/** The tools that one agent selected so far, up to a limit. */
export interface Selection {
  /** In order of use, the latest last. */
  readonly names: readonly string[];
  /**
   * Adds names as the latest. When the limit is passed, those that were not used for the longest
   * time give way.
   */
  add(names: readonly string[]): void;
  /** Notes that a tool was used. */
  touch(name: string): void;
  /**
   * Those used last that cost no more than `room` together, in order of use. The others stay
   * selected, for when there is room.
   */
  latest(room: number, costOf: (name: string) => number): readonly string[];
}

/** A selection of at most `limit` names. */
export function createSelection(limit: number): Selection {
  const names = new Set<string>();
  return {
    get names() {
      return Array.from(names);
    },
    add(more) {
      for (const name of more) {
        names.delete(name);
        names.add(name);
      }
      for (const name of names) {
        if (names.size <= limit) break;
        names.delete(name);
      }
    },
    touch(name) {
      if (names.delete(name)) names.add(name);
    },
    latest(room, costOf) {
      const order = Array.from(names);
      let left = room;
      let start = order.length;
      for (const name of order.toReversed()) {
        left -= costOf(name);
        if (left < 0) break;
        start -= 1;
      }
      return order.slice(start);
    },
  };
}
