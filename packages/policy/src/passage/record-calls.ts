import { isToolportError, type Interceptor, type ToolCall, type ToolportErrorCode } from "@toolport/core";
import type { StageParts } from "../policy-parts.ts";
import { callEvent } from "../refuse.ts";

/** What the record of calls is made from. */
export interface RecordInit extends StageParts {
  /** How often a call was tried so far. */
  readonly attemptsOf: (call: ToolCall) => number;
}

/** Tells of each call that it began, and how it ended. */
export function recordCalls({ attemptsOf, ...parts }: RecordInit): Interceptor {
  const { clock, emit } = parts;
  return async (call, next) => {
    const startedAt = clock.now();
    emit({ type: "invoked", ...callEvent(call, parts) });
    const measured = (): { readonly durationMs: number; readonly attempts: number } => ({
      durationMs: clock.now() - startedAt,
      attempts: attemptsOf(call),
    });
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

function codeOf(error: unknown): ToolportErrorCode {
  return isToolportError(error) ? error.code : "internal_error";
}
