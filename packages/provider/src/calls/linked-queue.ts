import type { Cancel } from "@hostside/core";

/**
 * Those who wait, in the order in which they came. Every step costs the same, however many they
 * are.
 */
export interface LinkedQueue<T> {
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

/**
 * A class, because one is made for each call of a caller that has no other, and an object literal
 * with getters is made slowly.
 */
class DoublyLinkedQueue<T> implements LinkedQueue<T> {
  #first: Place<T> | undefined;
  #last: Place<T> | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get first(): T | undefined {
    return this.#first?.value;
  }

  get last(): T | undefined {
    return this.#last?.value;
  }

  add(value: T): Cancel {
    const place: Place<T> = { value, before: this.#last, after: undefined };
    if (this.#last === undefined) this.#first = place;
    else this.#last.after = place;
    this.#last = place;
    this.#size += 1;
    let isIn = true;
    return () => {
      if (!isIn) return;
      isIn = false;
      this.#size -= 1;
      if (place.before === undefined) this.#first = place.after;
      else place.before.after = place.after;
      if (place.after === undefined) this.#last = place.before;
      else place.after.before = place.before;
    };
  }
}

/** Makes an empty line. */
export function createLinkedQueue<T>(): LinkedQueue<T> {
  return new DoublyLinkedQueue();
}
