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
export function recordCalls({ attempts, isWatched, ...parts }: RecordInit): Interceptor {
  const { clock, emit } = parts;
  return async (call, next) => {
    if (!isWatched()) return unwatched(call, next, attempts);
    const startedAt = clock.now();
    emit({ type: "invoked", ...callEvent(call, parts) });
    const measured = (): { readonly durationMs: number; readonly attempts: number } => {
      const tried = attempts?.of(call) ?? 1;
      // Layers within may have given the call another context, and whoever made it knows this one.
      attempts?.note(call, tried);
      return { durationMs: clock.now() - startedAt, attempts: tried };
    };
    try {
      const outcome = await next(call);
      if (outcome.isError) emit({ type: "failed", ...callEvent(call, parts), ...measured() });
      else emit({ type: "succeeded", ...callEvent(call, parts), ...measured() });
      return outcome;
    } catch (error) {
      emit({ type: "failed", ...callEvent(call, parts), ...measured(), code: codeOf(error) });
      throw error;
    }
  };
}

async function unwatched(call: ToolCall, next: CallHandler, attempts: Attempts | undefined): Promise<ToolOutcome> {
  try {
    return await next(call);
  } finally {
    attempts?.note(call, attempts.of(call));
  }
}

function codeOf(error: unknown): HostsideErrorCode {
  return isHostsideError(error) ? error.code : "internal_error";
}
