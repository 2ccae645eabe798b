import type { CallRecord, Clock, ToolCall, ToolOutcome } from "@hostside/core";
import { dateOf, withoutApproval } from "@hostside/core/implement";
import { toHostsideError } from "../to-hostside-error.ts";
import type { CallWatch } from "./call-watch.ts";

/** A call that has ended, and what was counted on its way. */
export interface CountedCall extends Pick<ToolCall, "origin" | "options"> {
  readonly startedAt: number;
  readonly connectMs: number;
  readonly listMs: number;
  readonly turnMs: number;
  readonly sends: number;
  readonly watch: CallWatch | undefined;
}

/** What became of a call, for those who watch. Made only when there are any. */
export function recordOf(
  { origin, options, startedAt, connectMs, listMs, turnMs, sends, watch }: CountedCall,
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
    queueMs: connectMs + listMs + turnMs,
    connectMs,
    listMs,
    turnMs,
    sends,
    attempts: watch?.attempts ?? [],
  };
  if (outcome !== undefined) return { ...record, result: outcome.isError ? "tool-error" : "ok" };
  return { ...record, result: "error", error: toHostsideError(failure, origin.serverId, "tools/call") };
}
