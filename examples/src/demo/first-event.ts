import type { Event } from "@hostside/core";

/**
 * The next value of an event that is accepted, or `undefined` after 10 s. Listens from the moment
 * it is called.
 */
export function firstEvent<T>(event: Event<T>, accept: (value: T) => boolean): Promise<T | undefined> {
  return new Promise((resolve) => {
    const settle = (value: T | undefined): void => {
      clearTimeout(timer);
      subscription();
      resolve(value);
    };
    const timer = setTimeout(() => settle(undefined), 10_000);
    const subscription = event((value) => {
      if (accept(value)) settle(value);
    });
  });
}
