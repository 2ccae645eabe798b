import type { Cancel } from "@hostside/core";
import { onAbort } from "@hostside/core/implement";

/** A signal that aborts when one of two does. */
export interface EitherSignal {
  readonly signal: AbortSignal;
  /** Lets go of both; it aborts no more. */
  readonly release: Cancel;
}

/**
 * Joins the signal of a call and that of what outlives it, until released. Not `AbortSignal.any()`:
 * of each that was made so, Node keeps something at the signal that lives longer, for as long as
 * that lives.
 */
export function eitherSignal(ofCall: AbortSignal | undefined, lasting: AbortSignal): EitherSignal {
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
