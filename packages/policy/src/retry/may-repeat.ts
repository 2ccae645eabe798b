import { isHostsideError, type ToolEffect, type HostsideError, type HostsideErrorCode } from "@hostside/core";

/** The facts about a call that failed. */
export interface FailedTry {
  readonly effect: ToolEffect;
  /** True if the server was sent a key by which it knows the same effect again. */
  readonly hasKey: boolean;
}

// Somebody's will: to ask again would be to ask until one gets a yes. Time is their matter, too.
const refusals: ReadonlySet<HostsideErrorCode> = new Set<HostsideErrorCode>([
  "aborted",
  "approval_denied",
  "approval_required",
  "budget_exceeded",
  "call_refused",
  "circuit_open",
  "input_required",
  "not_allowed",
  "tool_quarantined",
]);
// What may be another way the next time. Of the server's answers, those alone that say so.
const passing: ReadonlySet<HostsideErrorCode> = new Set<HostsideErrorCode>([
  "call_timeout",
  "connect_timeout",
  "connection_closed",
  "dns_failed",
  "list_timeout",
  "rate_limited",
  "server_exited",
  "session_expired",
  "unreachable",
]);

/**
 * Tells whether a call may be tried again after this failure: it provably did not run, or the host
 * itself says of the tool that a second run changes nothing. A server's word counts for neither.
 */
export function mayRepeat(error: unknown, { effect, hasKey }: FailedTry): error is HostsideError {
  if (!isHostsideError(error) || refusals.has(error.code) || error.details.policy !== undefined) return false;
  if (error.outcome === "not-sent") return error.retryable;
  if (effect !== "pure" && !(effect === "idempotent-write" && hasKey)) return false;
  return passing.has(error.code) || (error.code === "http_error" && isPassingStatus(error.details.httpStatus));
}

function isPassingStatus(status: number | undefined): boolean {
  return status === undefined || status >= 500 || status === 408 || status === 429;
}
