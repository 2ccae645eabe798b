import type { HostsideError } from "@hostside/core";
import { withErrorContext } from "@hostside/core/implement";
import {
  askedMs,
  backoffMs,
  isRefusal,
  lastFailureOf,
  type Demand,
  type LinkContext,
  type LinkEffect,
  type Step,
  type ConnectingState,
  type DownState,
  type FailedState,
  type IdleState,
  type ListingState,
  type NeedsAuthState,
  type ReadyState,
} from "./link-state.ts";

// Failures in a row that a call ignores.
const freeAttempts = 5;
// A session that lasts this long makes up for the failures before it.
const stableMs = 30_000;

/** Starts a connection attempt; `before` is done first. */
export function startAttempt(
  state: IdleState | DownState | FailedState | NeedsAuthState,
  context: LinkContext,
  { before = [], demand }: { readonly before?: readonly LinkEffect[]; readonly demand?: Demand } = {},
): Step {
  const session = state.session + 1;
  return {
    state: {
      kind: "connecting",
      session,
      run: state.run,
      startedAt: context.now,
      failures: state.kind === "idle" ? 0 : state.failures,
      lastFailure: lastFailureOf(state),
      ...(demand !== undefined && { forCalls: demand === "call" }),
    },
    effects: [...before, { type: "connect", session }],
  };
}

/**
 * Says whether a call may start an attempt now. The first few failures in a row cost no waiting, so
 * that a server which died once is back with the next call; a server that keeps failing, or asks to
 * be left alone, is tried once per back-off, however many calls there are.
 */
export function mayAttempt(
  { error, failures, retryAt }: DownState | FailedState | NeedsAuthState,
  { now, policy }: LinkContext,
): boolean {
  return now >= retryAt || (failures <= freeAttempts && askedMs(error, policy) === 0);
}

/**
 * An attempt failed, in its handshake or its first listing. The rest of a session is closed.
 */
export function attemptFailed(
  state: ConnectingState | ListingState,
  { stage, error: reason }: { readonly stage: "connect" | "list"; readonly error: HostsideError },
  context: LinkContext,
): Step {
  const error = apartFromCalls(reason);
  const failures = state.failures + 1;
  const { session, run } = state;
  return {
    state: {
      kind: isRefusal(error) ? "needs-auth" : "failed",
      session,
      run,
      stage,
      error,
      failures,
      retryAt: nextAttemptAt(error, failures, context),
      hopeless: isSameExit(state.lastFailure?.error, error),
    },
    effects: [
      { type: "close", session, error },
      { type: "reject", error },
    ],
  };
}

/**
 * A session that was in use is gone. Failures before it are forgotten if it lasted. Waiters for a
 * listing of it wait for one of the next session instead, because nothing of theirs was sent.
 */
export function loseSession(state: ReadyState, reason: HostsideError, context: LinkContext): Step {
  const error = apartFromCalls(reason);
  const { session, run, connectedAt } = state;
  const lasted = context.now - connectedAt >= stableMs;
  // What was known was wrong; the server has not failed.
  const isMistaken = context.isAssumed && isForgotten(error);
  const failures = (lasted ? 0 : state.failures) + (isMistaken ? 0 : 1);
  const down: DownState = {
    kind: "down",
    session,
    run,
    error,
    failures,
    retryAt: isMistaken ? context.now : nextAttemptAt(error, failures, context),
  };
  // A session that the server forgot refuses its calls one by one. Closing it now would make those
  // still under way look as if they might have run.
  const close: LinkEffect = { type: "close", session, error, drain: isForgotten(error) };
  if (!context.waiting) return { state: down, effects: [close] };
  if (!mayAttempt(down, context)) return { state: down, effects: [close, { type: "reject", error }] };
  return startAttempt(down, context, { before: [close] });
}

/**
 * A session that was opened of what was known met another server than that. Nobody is to blame, and
 * whoever waits for its listing waits for that of the next session.
 */
export function openAnew(
  { session, run, lastFailure }: ListingState,
  error: HostsideError,
  context: LinkContext,
): Step {
  const idle: IdleState = { kind: "idle", session, run, lastFailure };
  return startAttempt(idle, context, { before: [{ type: "close", session, error, drain: true }] });
}

// A program that finds no API key, or no module, finds none the next time either.
function isSameExit(before: HostsideError | undefined, { code, details: { exitCode } }: HostsideError): boolean {
  if (code !== "server_exited" || exitCode === undefined || exitCode === null || exitCode === 0) return false;
  return before?.code === code && before.details.exitCode === exitCode;
}

function nextAttemptAt(error: HostsideError, failures: number, { now, policy, random }: LinkContext): number {
  return now + Math.max(backoffMs(failures, policy, random), askedMs(error, policy));
}

/**
 * Says whether an error that a request on a live session met says that the server knows this
 * session no more: it forgot it, or came back as one that speaks another revision. The outcome of
 * the request is another question, which the error's outcome answers.
 */
export function isForgotten({ code }: HostsideError): boolean {
  return code === "session_expired" || code === "unsupported_protocol";
}

/**
 * Turns an error of a link into one for those who have no call on it: whatever became of others,
 * nothing of theirs was sent.
 */
export function apartFromCalls(error: HostsideError): HostsideError {
  return error.outcome === "unknown" ? withErrorContext(error, { outcome: "not-sent" }) : error;
}
