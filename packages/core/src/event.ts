/// <reference lib="esnext.disposable" preserve="true" />
import { kindOf } from "./json.ts";

/** Ends a subscription. Idempotent; also usable with `using`. */
export interface Subscription extends Disposable {
  (): void;
}

/**
 * Calls `listener` on every emission from now on, until the subscription ends. Throws a `TypeError`
 * for a listener that is no function.
 */
export type Event<T> = (listener: (value: T) => void) => Subscription;

/** The two ends of one event: `on` for those who listen, `emit` for the one who owns it. */
export interface EventSource<T> {
  readonly on: Event<T>;
  /** Whether anybody listens; for a value that costs something to make. */
  readonly hasListeners: boolean;
  emit(value: T): void;
  /** Ends every subscription; later ones never fire. */
  close(): void;
}

/**
 * Makes an event. Listeners run in order of subscription, in the caller's turn. A listener that
 * throws does not stop the others: its error is thrown in a microtask, because an observer must not
 * be able to break what it observes.
 */
export function createEvent<T>(): EventSource<T> {
  const listeners = new Set<{ readonly call: (value: T) => void }>();
  let closed = false;
  return {
    get hasListeners() {
      return listeners.size > 0;
    },
    on(listener) {
      if (typeof listener !== "function") {
        throw new TypeError(`what listens to an event must be a function, not ${kindOf(listener)}`);
      }
      const entry = { call: listener };
      if (!closed) listeners.add(entry);
      const end = (): void => void listeners.delete(entry);
      return Object.assign(end, { [Symbol.dispose]: end });
    },
    emit(value) {
      for (const entry of Array.from(listeners)) {
        if (!listeners.has(entry)) continue;
        try {
          entry.call(value);
        } catch (error) {
          reportUncaught(error);
        }
      }
    },
    close() {
      closed = true;
      listeners.clear();
    },
  };
}

/**
 * Gives an error to the runtime's own handler of those that nobody caught: visible, but not in the
 * middle of whoever met it.
 */
export function reportUncaught(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
