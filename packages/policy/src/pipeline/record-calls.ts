import {
  isHostsideError,
  type CallHandler,
  type Interceptor,
  type ToolCall,
  type ToolOutcome,
  type HostsideErrorCode,
} from "@hostside/core";
import type { StageParts } from "../policy-parts.ts";
import { callEvent } from "../refuse.ts";
import type { Attempts } from "../retry/attempts.ts";

/** What the record of calls is made from. */
export interface RecordInit extends StageParts {
  /** How often calls were tried. Default: each once. */
  readonly attempts?: Attempts | undefined;
  /** Whether anybody listens, so that nothing is told to nobody. */
  readonly isWatched: () => boolean;
}

/** Tells of each call that it began, and how it ended. */
export function recordCalls(init: RecordInit): Interceptor {
  const { attempts, isWatched } = init;
  const unwatched: Interceptor =
    attempts === undefined ? (call, next) => next(call) : (call, next) => keepAttempts(call, next, attempts);
  return (call, next) => (isWatched() ? record(call, next, init) : unwatched(call, next));
}

async function record(call: ToolCall, next: CallHandler, init: RecordInit): Promise<ToolOutcome> {
  const { attempts, clock, emit } = init;
  const startedAt = clock.now();
  emit({ type: "invoked", ...callEvent(call, init) });
  const measured = (): { readonly durationMs: number; readonly attempts: number } => {
    const tried = attempts?.of(call) ?? 1;
    // Layers within may have given the call another context, and whoever made it knows this one.
    attempts?.note(call, tried);
    return { durationMs: clock.now() - startedAt, attempts: tried };
  };
  try {
    const outcome = await next(call);
    if (outcome.isError) emit({ type: "failed", ...callEvent(call, init), ...measured() });
    else emit({ type: "succeeded", ...callEvent(call, init), ...measured() });
    return outcome;
  } catch (error) {
    emit({ type: "failed", ...callEvent(call, init), ...measured(), code: codeOf(error) });
    throw error;
  }
}

async function keepAttempts(call: ToolCall, next: CallHandler, attempts: Attempts): Promise<ToolOutcome> {
  try {
    return await next(call);
  } finally {
    attempts.note(call, attempts.of(call));
  }
}

function codeOf(error: unknown): HostsideErrorCode {
  return isHostsideError(error) ? error.code : "internal_error";
}
