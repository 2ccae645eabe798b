import { HostsideError } from "@hostside/core";
import { formatMs, withErrorContext } from "@hostside/core/implement";
import {
  stay,
  hasSession,
  isRunning,
  lastFailureOf,
  mayPass,
  type Demand,
  type LinkContext,
  type LinkEvent,
  type Step,
  type LinkPolicy,
  type ConnectingState,
  type LinkState,
  type ReadyState,
  type RunningState,
  type IdleState,
} from "./link-state.ts";
import { failRun, finishRun, onToolsChanged, startFirstRun, startRun, wantTools } from "./listing-transitions.ts";
import { attemptFailed, isForgotten, loseSession, mayAttempt, openAnew, startAttempt } from "./session-transitions.ts";

/**
 * The whole behaviour of a link: the state that follows, and what is to be done. Pure: no clock, no
 * promise, no connection. `docs/internals/server-states.md` has the table of all states and events;
 * a test walks it.
 */
export function transition(state: LinkState, event: LinkEvent, context: LinkContext): Step {
  switch (event.type) {
    case "want":
      return want(state, event, context);
    case "connected":
      return connected(state, event, context);
    case "turn":
      return state.kind === "connecting" && state.session === event.session
        ? stay({ ...state, startedAt: event.waits ? undefined : context.now })
        : stay(state);
    case "connect-failed":
      return state.kind === "connecting" && state.session === event.session
        ? attemptFailed(state, { stage: "connect", error: event.error }, context)
        : stay(state);
    case "listed":
      return isCurrentRun(state, event) ? finishRun(state, event.listing, context) : stay(state);
    case "list-failed":
      return isCurrentRun(state, event) ? failRun(state, event.error, context) : stay(state);
    case "tools-changed":
      return hasSession(state) && state.session === event.session ? onToolsChanged(state, context) : stay(state);
    case "session-lost":
      return sessionLost(state, event, context);
    case "credentials-refused":
      return state.kind === "ready" && state.session === event.session
        ? stay({ ...state, credentialsRefusal: event.error })
        : stay(state);
    case "proven":
      return proven(state, event.session);
    case "wake":
      return wake(state, context);
    case "renew":
      return renew(state, event.error, context);
    case "disconnect":
      return disconnect(state, event, context);
    case "remove":
      return remove(state, event);
  }
}

/**
 * When the state wants to be woken, on the provider's clock; `undefined` when it needs no timer.
 */
export function wakeAt(state: LinkState, policy: LinkPolicy): number | undefined {
  switch (state.kind) {
    case "connecting":
      return state.startedAt === undefined ? undefined : state.startedAt + policy.connectBackstopMs;
    case "listing":
      return state.listing.startedAt + policy.listBackstopMs;
    case "ready":
      return readyWakeAt(state, policy);
    case "failed":
      // What cannot get better by itself (a missing program or API key, a refused protocol) is left
      // to the next call or refresh, and to whoever is subscribed to something.
      return policy.background && state.hopeless !== true && mayPass(state) ? state.retryAt : undefined;
    default:
      return undefined;
  }
}

function readyWakeAt({ listing, idleAt }: ReadyState, policy: LinkPolicy): number | undefined {
  if (listing.kind === "running") return listing.startedAt + policy.listBackstopMs;
  const dueAt = listing.kind === "dirty" ? listing.dueAt : undefined;
  return dueAt === undefined || idleAt === undefined ? (dueAt ?? idleAt) : Math.min(dueAt, idleAt);
}

function want(state: LinkState, event: LinkEvent & { readonly type: "want" }, context: LinkContext): Step {
  const { demand, tickets } = event;
  switch (state.kind) {
    case "disabled":
      return stay(state, { type: "refuse", tickets, error: disabledError(context.serverId) });
    case "removed":
      return stay(state, { type: "refuse", tickets, error: state.error });
    case "idle":
    case "down":
    case "failed":
    case "needs-auth":
      if (state.kind !== "idle" && demand === "call" && !mayAttempt(state, context)) {
        return stay(state, { type: "refuse", tickets, error: heldBack(state.error) });
      }
      return startAttempt(state, context, { before: [{ type: "wait", tickets, run: state.run + 1 }], demand });
    case "connecting":
      return stay(alsoFor(demand, state), { type: "wait", tickets, run: state.run + 1 });
    case "listing":
    case "ready":
      return wantTools(state, event, context);
  }
}

function alsoFor(demand: Demand, state: ConnectingState): ConnectingState {
  return demand === "call" || state.forCalls !== true ? state : { ...state, forCalls: false };
}

function connected(
  state: LinkState,
  { session, listedUntil = 0 }: LinkEvent & { readonly type: "connected" },
  context: LinkContext,
): Step {
  if (state.kind !== "connecting" || state.session !== session) return stay(state);
  const { failures, run, lastFailure } = state;
  const connectMs = context.now - (state.startedAt ?? context.now);
  if (state.forCalls === true && context.now < listedUntil)
    return goOnWithTools(state, { connectMs, listedUntil }, context);
  return startFirstRun({ session, run, failures, lastFailure, connectedAt: context.now, connectMs }, context);
}

// What was listed before is still good: calls need not wait for another listing.
function goOnWithTools(
  { session, run, failures }: ConnectingState,
  { connectMs, listedUntil }: { readonly connectMs: number; readonly listedUntil: number },
  { now, policy }: LinkContext,
): Step {
  const idleAt = Number.isFinite(policy.idleMs) ? { idleAt: now + policy.idleMs } : {};
  const listing = { kind: "fresh", until: listedUntil } as const;
  return {
    state: { kind: "ready", session, run, failures, connectedAt: now, connectMs, listing, ...idleAt },
    effects: [{ type: "release", run: run + 1 }],
  };
}

function sessionLost(
  state: LinkState,
  { session, error }: LinkEvent & { readonly type: "session-lost" },
  context: LinkContext,
): Step {
  if (state.session !== session) return stay(state);
  switch (state.kind) {
    case "ready":
      return loseSession(state, error, context);
    case "listing":
      return context.isAssumed && isForgotten(error)
        ? openAnew(state, error, context)
        : attemptFailed(state, { stage: "list", error }, context);
    case "connecting":
      return attemptFailed(state, { stage: "connect", error }, context);
    default:
      return stay(state);
  }
}

function proven(state: LinkState, session: number): Step {
  if (state.kind !== "ready" || state.session !== session) return stay(state);
  if (state.failures === 0 && state.credentialsRefusal === undefined) return stay(state);
  const { credentialsRefusal: _, ...rest } = state;
  return stay({ ...rest, failures: 0 });
}

function wake(state: LinkState, context: LinkContext): Step {
  const { policy, serverId, now } = context;
  const due = wakeAt(state, policy);
  if (due === undefined || due > now) return stay(state);
  if (state.kind === "connecting") {
    const error = backstopError("connect_timeout", serverId, policy.connectBackstopMs);
    return attemptFailed(state, { stage: "connect", error }, context);
  }
  if (isRunning(state)) {
    return failRun(state, backstopError("list_timeout", serverId, policy.listBackstopMs), context);
  }
  if (state.kind === "ready") {
    return state.listing.kind === "dirty" && state.listing.dueAt === due
      ? startRun(state, context)
      : checkUse(state, context);
  }
  return state.kind === "failed" ? startAttempt(state, context) : stay(state);
}

// Nobody is told: the next call gets another session, and does not wait for the end of this one in
// vain.
function checkUse(state: ReadyState, { now, policy, serverId, unusedSince = now }: LinkContext): Step {
  const { session, run, connectedAt } = state;
  const idleAt = Math.max(unusedSince, connectedAt) + policy.idleMs;
  if (idleAt > now) return stay({ ...state, idleAt });
  const message = `the session with ${JSON.stringify(serverId)} was closed after ${formatMs(policy.idleMs)} without a call`;
  const error = new HostsideError(message, { code: "connection_closed", serverId, outcome: "not-sent" });
  return { state: { kind: "idle", session, run }, effects: [{ type: "close", session, error }] };
}

// Whoever waits for this session waits for the next one instead: nothing of theirs was sent.
function renew(state: LinkState, error: HostsideError, context: LinkContext): Step {
  if (state.kind !== "connecting" && !hasSession(state)) return stay(state);
  const { session, run } = state;
  const idle: IdleState = { kind: "idle", session, run, lastFailure: lastFailureOf(state) };
  return startAttempt(idle, context, { before: [{ type: "close", session, error, drain: true }] });
}

function disconnect(
  state: LinkState,
  { error, refusal }: LinkEvent & { readonly type: "disconnect" },
  { now }: LinkContext,
): Step {
  const { session, run } = state;
  const next = (): LinkState =>
    refusal === undefined
      ? { kind: "idle", session, run, lastFailure: lastFailureOf(state) }
      : { kind: "needs-auth", session, run, stage: "connect", error: refusal, failures: 0, retryAt: now };
  switch (state.kind) {
    case "connecting":
    case "listing":
    case "ready":
      return {
        state: next(),
        effects: [
          { type: "close", session, error },
          { type: "reject", error },
        ],
      };
    case "down":
    case "failed":
      return stay(next());
    case "needs-auth":
      return stay(refusal === undefined ? next() : state);
    case "idle":
      return stay(refusal === undefined ? state : next());
    default:
      return stay(state);
  }
}

function remove(state: LinkState, { error, drain = false }: LinkEvent & { readonly type: "remove" }): Step {
  if (state.kind === "removed") return stay(state);
  const { session, run } = state;
  const live = state.kind === "connecting" || hasSession(state);
  return {
    state: { kind: "removed", session, run, error },
    effects: [...(live ? [{ type: "close", session, error, drain } as const] : []), { type: "reject", error }],
  };
}

function isCurrentRun(
  state: LinkState,
  { session, run }: { readonly session: number; readonly run: number },
): state is RunningState {
  return isRunning(state) && state.session === session && state.run === run;
}

// The same failure, told again: nobody may take it for another one.
function heldBack(error: HostsideError): HostsideError {
  return withErrorContext(error, { details: { backOff: true } });
}

function disabledError(serverId: string): HostsideError {
  return new HostsideError(`server ${JSON.stringify(serverId)} is disabled`, { code: "server_disabled", serverId });
}

function backstopError(code: "connect_timeout" | "list_timeout", serverId: string, timeoutMs: number): HostsideError {
  const operation = code === "connect_timeout" ? "connect" : "tools/list";
  return new HostsideError(
    `${operation} of ${JSON.stringify(serverId)} neither succeeded nor failed within ${formatMs(timeoutMs)}`,
    { code, serverId, outcome: "not-sent", details: { operation, timeoutMs } },
  );
}
