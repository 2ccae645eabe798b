import type { CallContext, SharedDeadline, ToolCall } from "@toolport/core";
import { wholeTime } from "../limits/narrow-time.ts";

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
  const byTime = new WeakMap<SharedDeadline, number>();
  const byContext = new WeakMap<CallContext, number>();
  return {
    note({ options: { deadline, context } }, attempts) {
      if (deadline !== undefined) byTime.set(wholeTime(deadline), attempts);
      if (context !== undefined) byContext.set(context, attempts);
    },
    of: ({ options: { deadline } }) => (deadline && byTime.get(wholeTime(deadline))) ?? 1,
    ofContext: (context) => byContext.get(context) ?? 1,
  };
}
