import { clock, type Cancel } from "./clock.ts";

/**
 * Settles as `work` does, or rejects with the signal's reason, whichever comes first. `work` goes
 * on by itself; its late failure is silent.
 */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(signal.reason as Error);
    if (signal.aborted) giveUp();
    const stopListening = onAbort(signal, giveUp);
    work.then(resolve, reject).finally(stopListening);
  });
}

/**
 * Calls `listener` when a signal aborts that has not, once, until cancelled. Listeners must not
 * throw.
 */
export function onAbort(signal: AbortSignal, listener: () => void): Cancel {
  return (followed.get(signal) ?? follow(signal)).add(listener);
}

/** The listeners of one `AbortSignal`. */
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

/** Resolves when the time is up, or at once when the signal aborts. Never rejects. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      cancel();
      stopListening?.();
      resolve();
    };
    const cancel = clock.schedule(ms, end);
    const stopListening = signal && onAbort(signal, end);
    if (signal?.aborted === true) end();
  });
}

/**
 * Resolves when `work` settles, however it does, or when the time is up. For parts that are not
 * ours and may never finish. Never rejects.
 */
export function settleWithin(work: Promise<unknown>, timeoutMs: number): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.schedule(timeoutMs, resolve);
    const settled = (): void => {
      cancel();
      resolve();
    };
    void work.then(settled, settled);
  });
}

/**
 * Settles as `work` does if it does so within the time, else with `undefined`. It goes on by
 * itself, and may be waited for again.
 */
export function resultWithin<T>(work: Promise<T>, timeoutMs: number): Promise<T | undefined> {
  return Promise.race([work, settleWithin(work, timeoutMs).then(() => undefined)]);
}
