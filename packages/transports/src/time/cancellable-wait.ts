import type { Cancel } from "@hostside/core";
import { clock, onAbort } from "@hostside/core/implement";

/**
 * Starts a wait that can be taken back: `done` resolves when the time is up, and rejects with the
 * reason of a `cancel`.
 */
export function startWait(delayMs: number): { readonly done: Promise<void>; cancel(reason: Error): void } {
  let cancel = (_reason: Error): void => {};
  const done = new Promise<void>((resolve, reject) => {
    const cancelTimer = clock.schedule(delayMs, resolve);
    cancel = (reason) => {
      cancelTimer();
      reject(reason);
    };
  });
  return { done, cancel };
}

/**
 * Joins the signal of a call and that of what outlives it, until released. Not `AbortSignal.any()`:
 * of each that was made so, Node keeps something at the signal that lives longer, for as long as
 * that lives.
 */
export function eitherSignal(
  ofCall: AbortSignal | undefined,
  lasting: AbortSignal,
): { readonly signal: AbortSignal; readonly release: Cancel } {
  if (ofCall === undefined) return { signal: lasting, release: () => {} };
  const either = new AbortController();
  const leaving = [lasting, ofCall].map((one) => {
    if (one.aborted) either.abort(one.reason);
    return onAbort(one, () => either.abort(one.reason));
  });
  return {
    signal: either.signal,
    release() {
      for (const leave of leaving) leave();
    },
  };
}
