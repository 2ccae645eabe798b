import { cleanText, isHostsideError, type HostsideError, type HostsideErrorCode, type Violation } from "@hostside/core";
import type { PresentedError } from "../presented.ts";
import { member } from "../present/member.ts";

/** An error as it may be shown, with what else is known of it. */
export interface ReadError {
  readonly error: PresentedError;
  readonly serverId: string | undefined;
  readonly toolName: string | undefined;
  /** How long to wait before another try, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** How many more violations there are than those shown. */
  readonly moreViolations: number;
}

const longestMessage = 2000;
const longestViolation = 300;
const mostViolations = 20;

/**
 * Reads anything that was thrown. Of a `HostsideError`, whose texts hold no secret, its message is
 * shown, cleaned and bounded; of anything else nothing but that there was an error, because its
 * message may have a secret, a path or a stack, unless `explain` has words for it. Never throws.
 */
export function readError(error: unknown, explain?: (error: unknown) => string | undefined): ReadError {
  try {
    if (isHostsideError(error)) return readHostsideError(error, explained(error, explain));
  } catch {
    // What throws when it is looked at is foreign, whatever it claims to be.
  }
  const message = explained(error, explain) ?? foreignMessage(error);
  return {
    error: { code: codeOfForeign(error), kind: kindOfForeign(error), message, retryable: false, outcome: "unknown" },
    serverId: undefined,
    toolName: undefined,
    retryAfterMs: undefined,
    moreViolations: 0,
  };
}

function readHostsideError(error: HostsideError, words: string | undefined): ReadError {
  const { code, kind, rawMessage, retryable, outcome, serverId, toolName, details } = error;
  const violations = (details.violations ?? []).slice(0, mostViolations).map(readViolation);
  return {
    error: {
      code,
      kind,
      message: words ?? clean(rawMessage, longestMessage),
      retryable,
      outcome,
      ...(violations.length === 0 ? {} : { violations }),
    },
    serverId,
    toolName,
    retryAfterMs: details.retryAfterMs,
    moreViolations: Math.max(0, (details.violations?.length ?? 0) - violations.length),
  };
}

function readViolation({ path, message }: Violation): { readonly pointer: string; readonly message: string } {
  return { pointer: clean(path, longestViolation), message: clean(message, longestViolation) };
}

function clean(text: string, max: number): string {
  return cleanText(text, max);
}

function explained(error: unknown, explain: ((error: unknown) => string | undefined) | undefined): string | undefined {
  try {
    const words: unknown = explain?.(error);
    return typeof words === "string" && words.trim() !== "" ? cleanText(words, longestMessage) : undefined;
  } catch {
    // The error is to be shown, not that of who explains it.
    return undefined;
  }
}

// The platform's name for what an AbortSignal ends.
function isAbort(error: unknown): boolean {
  const name = member(error, "name");
  return name === "AbortError" || name === "TimeoutError";
}

function codeOfForeign(error: unknown): HostsideErrorCode {
  return isAbort(error) ? "aborted" : "internal_error";
}

function kindOfForeign(error: unknown): PresentedError["kind"] {
  return isAbort(error) ? "policy" : "system";
}

function foreignMessage(error: unknown): string {
  return isAbort(error) ? "the call was stopped" : "the call failed in a way of its own";
}
