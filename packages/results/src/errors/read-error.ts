import { cleanText, isHostsideError, type HostsideError } from "@hostside/core";
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
 */
export function readError(error: unknown): ReadError {
  try {
    if (isHostsideError(error)) return readHostsideError(error);
  } catch {
    // What throws when it is looked at is foreign, whatever it claims to be.
  }
  // The platform's names for what an AbortSignal ends.
  const name = member(error, "name");
  const foreign =
    name === "AbortError" || name === "TimeoutError"
      ? ({ code: "aborted", kind: "policy", message: "the call was stopped" } as const)
      : ({ code: "internal_error", kind: "system", message: "the call failed in a way of its own" } as const);
  return {
    error: { ...foreign, retryable: false, outcome: "unknown" },
    serverId: undefined,
    toolName: undefined,
    retryAfterMs: undefined,
    moreViolations: 0,
  };
}

function readHostsideError(error: HostsideError): ReadError {
  const { code, kind, rawMessage, retryable, outcome, serverId, toolName, details } = error;
  const violations = (details.violations ?? []).slice(0, mostViolations).map(({ path, message }) => ({
    pointer: cleanText(path, longestViolation),
    message: cleanText(message, longestViolation),
  }));
  const message = cleanText(rawMessage, longestMessage);
  return {
    error: { code, kind, message, retryable, outcome, ...(violations.length > 0 && { violations }) },
    serverId,
    toolName,
    retryAfterMs: details.retryAfterMs,
    moreViolations: Math.max(0, (details.violations?.length ?? 0) - violations.length),
  };
}
