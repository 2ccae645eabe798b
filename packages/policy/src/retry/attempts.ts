import type { CallContext, ToolCall } from "@toolport/core";

/** How often calls were tried. */
export interface Attempts {
  /** Notes that a call was tried so often so far. */
  note(call: ToolCall, attempts: number): void;
  /** Of a call that is with its layers: 1 unless it was noted otherwise. For every layer around the one that notes. */
  of(call: ToolCall): number;
  /** Of the last call with this very context object. */
  ofContext(context: CallContext): number;
}

/** Makes an account that is empty, and keeps nothing of a call for longer than the call. */
export function createAttempts(): Attempts {
  // The signal is one that its pipeline has made for this call alone, and no layer has a reason to replace it.
  const bySignal = new WeakMap<AbortSignal, number>();
  const byContext = new WeakMap<CallContext, number>();
  return {
    note({ options: { signal, context } }, attempts) {
      if (signal !== undefined) bySignal.set(signal, attempts);
      if (context !== undefined) byContext.set(context, attempts);
    },
    of: ({ options: { signal } }) => (signal && bySignal.get(signal)) ?? 1,
    ofContext: (context) => byContext.get(context) ?? 1,
  };
}
