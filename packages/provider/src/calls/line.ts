import type { Cancel } from "@toolport/core";

/** Those who wait, in the order in which they came. Every step costs the same, however many they are. */
export interface Line<T> {
  readonly size: number;
  readonly first: T | undefined;
  readonly last: T | undefined;
  /** Puts somebody at the end; the returned function takes them out, once. */
  add(value: T): Cancel;
}

interface Place<T> {
  readonly value: T;
  before: Place<T> | undefined;
  after: Place<T> | undefined;
}

/** Makes an empty line. */
export function createLine<T>(): Line<T> {
  let first: Place<T> | undefined;
  let last: Place<T> | undefined;
  let size = 0;
  return {
    get size() {
      return size;
    },
    get first() {
      return first?.value;
    },
    get last() {
      return last?.value;
    },
    add(value) {
      const place: Place<T> = { value, before: last, after: undefined };
      if (last === undefined) first = place;
      else last.after = place;
      last = place;
      size += 1;
      let isIn = true;
      return () => {
        if (!isIn) return;
        isIn = false;
        size -= 1;
        if (place.before === undefined) first = place.after;
        else place.before.after = place.after;
        if (place.after === undefined) last = place.before;
        else place.after.before = place.before;
      };
    },
  };
}
