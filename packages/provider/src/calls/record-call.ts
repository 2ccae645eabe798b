import { type Clock, type ToolCall, type ToolOutcome } from "@toolport/core";
import { dateOf, withoutApproval } from "@toolport/core/implement";
import type { CallRecord } from "../call-record.ts";
import { toToolportError } from "../to-toolport-error.ts";

/** A call that has ended, and what was counted on its way. */
export interface CountedCall extends Pick<ToolCall, "origin" | "options"> {
  readonly startedAt: number;
  readonly queueMs: number;
  readonly sends: number;
}

/** What became of a call, for those who watch. Made only when there are any. */
export function recordOf(
  { origin, options, startedAt, queueMs, sends }: CountedCall,
  clock: Clock,
  { outcome, failure }: { readonly outcome: ToolOutcome | undefined; readonly failure: unknown },
): CallRecord {
  const { context } = options;
  const durationMs = clock.now() - startedAt;
  const record = {
    origin,
    ...(context !== undefined && { context: withoutApproval(context) }),
    startedAt: Math.round(dateOf(clock) - durationMs),
    durationMs,
    queueMs,
    sends,
  };
  if (outcome !== undefined) return { ...record, result: outcome.isError ? "tool-error" : "ok" };
  return { ...record, result: "error", error: toToolportError(failure, origin.serverId, "tools/call") };
}
