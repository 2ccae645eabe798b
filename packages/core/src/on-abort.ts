import type { Cancel } from "./clock.ts";

/**
 * Calls `listener` when a signal aborts that has not, once, until cancelled. Listeners must not
 * throw.
 */
export function onAbort(signal: AbortSignal, listener: () => void): Cancel {
  return (followed.get(signal) ?? follow(signal)).add(listener);
}

/** Whoever waits for one `AbortSignal`. */
interface Followers {
  add(listener: () => void): Cancel;
}

const followed = new WeakMap<AbortSignal, Followers>();

const nobody: Followers = { add: () => () => {} };

// One listener at each signal, however many wait for it: a run that calls twenty tools at once
// gives them all its signal, and Node warns of a leak where one has more than ten. It stays there
// no longer than somebody waits.
function follow(signal: AbortSignal): Followers {
  if (signal.aborted) return nobody;
  const waiting = new Set<() => void>();
  const onEvent = (): void => {
    followed.delete(signal);
    for (const listener of waiting) listener();
  };
  const followers: Followers = {
    add(listener) {
      waiting.add(listener);
      return () => {
        if (!waiting.delete(listener) || waiting.size > 0 || followed.get(signal) !== followers) return;
        followed.delete(signal);
        signal.removeEventListener("abort", onEvent);
      };
    },
  };
  followed.set(signal, followers);
  signal.addEventListener("abort", onEvent, { once: true });
  return followers;
}
