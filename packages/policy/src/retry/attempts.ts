import type { CallContext, SharedDeadline, ToolCall } from "@hostside/core";
import { wholeTime } from "../limits/narrow-time.ts";

/** How often calls were tried. */
export interface Attempts {
  /** Notes that a call was tried so often so far. */
  note(call: ToolCall, attempts: number): void;
  /**
   * Of a call that is with its layers: 1 unless it was noted otherwise. For every layer around the
   * one that notes.
   */
  of(call: ToolCall): number;
  /** Of the last call with this very context object. */
  ofContext(context: CallContext): number;
}

/** Makes an account that is empty, and keeps nothing of a call for longer than the call. */
export function createAttempts(): Attempts {
  const byTime = new WeakMap<SharedDeadline, number>();
  const byContext = new WeakMap<CallContext, number>();
  return {
    note({ options: { deadline, context } }, attempts) {
      if (deadline !== undefined) keep(byTime, wholeTime(deadline), attempts);
      if (context !== undefined) keep(byContext, context, attempts);
    },
    of: ({ options: { deadline } }) => (deadline && byTime.get(wholeTime(deadline))) ?? 1,
    ofContext: (context) => byContext.get(context) ?? 1,
  };
}

// One is what is taken for granted, and most calls are tried once: to keep it would cost more than
// the rest of the account.
function keep<K extends object>(counts: WeakMap<K, number>, key: K, attempts: number): void {
  if (attempts !== 1 || counts.has(key)) counts.set(key, attempts);
}
