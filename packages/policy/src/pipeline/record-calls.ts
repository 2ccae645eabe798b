import { isHostsideError, type CallHandler, type Interceptor, type ToolCall, type ToolOutcome } from "@hostside/core";
import { clock, joinObservers } from "@hostside/core/implement";
import type { StageParts } from "../policy-parts.ts";
import { callEvent } from "../refuse.ts";

/** The parts of the record of calls. */
export interface RecordInit extends StageParts {
  /** Whether calls may be tried more than once. */
  readonly retries: boolean;
  /** Whether anybody listens. */
  readonly isWatched: () => boolean;
}

/** Tells of each call that it began, and how it ended. */
export function recordCalls(init: RecordInit): Interceptor {
  return (call, next) => (init.isWatched() ? record(call, next, init) : next(call));
}

async function record(call: ToolCall, next: CallHandler, init: RecordInit): Promise<ToolOutcome> {
  const { emit, retries } = init;
  const startedAt = clock.now();
  emit({ type: "invoked", ...callEvent(call, init) });
  const [counted, attempts] = retries ? countAttempts(call) : [call, () => 1];
  const ended = () => ({
    ...callEvent(call, init),
    durationMs: clock.now() - startedAt,
    attempts: attempts(),
  });
  try {
    const outcome = await next(counted);
    emit({ type: outcome.isError ? "failed" : "succeeded", ...ended() });
    return outcome;
  } catch (error) {
    emit({ type: "failed", ...ended(), code: isHostsideError(error) ? error.code : "internal_error" });
    throw error;
  }
}

/** Counts how often a call is tried, by what the retries of the policy tell its observer. */
export function countAttempts<Call extends Pick<ToolCall, "options">>(call: Call): readonly [Call, () => number] {
  let attempts = 1;
  const observer = joinObservers(
    { onDecision: ({ stage, type }) => void (attempts += stage === "retry" && type === "applied" ? 1 : 0) },
    call.options.observer,
  );
  return [{ ...call, options: { ...call.options, observer } }, () => attempts];
}
