import { HostsideError, type ToolListing } from "@hostside/core";
import {
  stay,
  askedMs,
  backoffMs,
  isRefusal,
  isRunning,
  isUpToDate,
  type LinkContext,
  type LinkEffect,
  type LinkEvent,
  type Step,
  type DirtyListing,
  type ListingState,
  type ReadyState,
  type RunningListing,
  type RunningState,
} from "./link-state.ts";
import { apartFromCalls, attemptFailed, isForgotten, loseSession, openAnew } from "./session-transitions.ts";

/** Starts the first listing of a session. */
export function startFirstRun(session: Omit<ListingState, "kind" | "listing">, { now }: LinkContext): Step {
  const run = session.run + 1;
  return {
    state: { ...session, kind: "listing", run, listing: runningSince(now) },
    effects: [{ type: "list", session: session.session, run }],
  };
}

/** Starts another listing of a session. */
export function startRun(state: ReadyState, { now }: Pick<LinkContext, "now">, repeat: boolean = false): Step {
  const run = state.run + 1;
  const { listing } = state;
  const failures = listing.kind === "fresh" ? 0 : listing.failures;
  const outdated = repeat || !isUpToDate(state, now);
  return {
    state: {
      ...state,
      run,
      listing: { ...runningSince(now), repeat, failures, outdated, restlessSince: restlessSinceOf(listing) },
    },
    effects: [{ type: "list", session: state.session, run }],
  };
}

/** Somebody wants tools that are up to date. */
export function wantTools(
  state: ListingState | ReadyState,
  { demand, tickets }: Pick<LinkEvent & { readonly type: "want" }, "demand" | "tickets">,
  context: LinkContext,
): Step {
  if (state.kind === "ready" && demand !== "refresh" && !mustList(state, context)) {
    return stay(state, { type: "go", tickets });
  }
  if (!isRunning(state)) {
    const step = startRun(state, context);
    return { state: step.state, effects: [{ type: "wait", tickets, run: step.state.run }, ...step.effects] };
  }
  // A refresh must not be answered by a listing that was under way when it came, nor a call by one
  // that is known to be outdated.
  if (demand !== "refresh" && !state.listing.noticed) return stay(state, { type: "wait", tickets, run: state.run });
  return stay(withListing(state, { demanded: true }), { type: "wait", tickets, run: state.run + 1 });
}

/** The server says that its tools changed. */
export function onToolsChanged(state: ListingState | ReadyState, context: LinkContext): Step {
  if (isRunning(state)) return stay(state.listing.noticed ? state : withListing(state, { noticed: true }));
  const { listing } = state;
  const next = withDueTime(listing.kind === "dirty" ? listing : dirtySince(context.now), context);
  return stay(next === listing ? state : { ...state, listing: next });
}

/**
 * A listing came back. Its tools are published, and one more listing follows if something happened
 * while it ran.
 */
export function finishRun(state: RunningState, listing: ToolListing, context: LinkContext): Step {
  if (listing.truncated !== undefined && context.hasWholeListing) return keepWholeListing(state, listing, context);
  const { noticed, demanded, repeat } = state.listing;
  const fresh = toReady(state, context, listing);
  const ready: ReadyState = noticed ? { ...fresh, listing: dirtyAgain(state.listing, context) } : fresh;
  const publish: LinkEffect = { type: "publish", listing };
  const release: LinkEffect = { type: "release", run: state.run };
  // Whoever waits gets the server's latest word, not one that is known to be outdated. But a server
  // that announces a change during every listing makes nobody wait for more than one listing more.
  const again = noticed && !repeat && context.policy.refresh !== "manual";
  if (again || demanded) {
    const next = startRun(ready, context, again);
    return { state: next.state, effects: [publish, ...(again ? [] : [release]), ...next.effects] };
  }
  return { state: ready, effects: [publish, release] };
}

/**
 * A listing failed. The first one of a session costs the session; a later one leaves the last good
 * tools in place.
 */
export function failRun(state: RunningState, reason: HostsideError, context: LinkContext): Step {
  const error = apartFromCalls(reason);
  if (state.kind === "listing") {
    return context.isAssumed && isForgotten(error)
      ? openAnew(state, error, context)
      : attemptFailed(state, { stage: "list", error }, context);
  }
  if (isForgotten(error)) return loseSession(state, error, context);
  return keepTools(state, state, { error, context });
}

/**
 * A listing that ended early is worth less than a whole one that is there already, also when that
 * is of an earlier session.
 */
function keepWholeListing(state: RunningState, listing: ToolListing, context: LinkContext): Step {
  const error = listingTruncated(context.serverId, listing);
  return keepTools(state, toReady(state, context), { error, context });
}

function keepTools(
  state: RunningState,
  ready: ReadyState,
  { error, context }: { readonly error: HostsideError; readonly context: LinkContext },
): Step {
  const failures = state.listing.failures + 1;
  const { now, policy, random } = context;
  const notBefore = now + Math.max(backoffMs(failures, policy, random), askedMs(error, policy));
  const dirty: DirtyListing = { kind: "dirty", since: context.now, notBefore, failures, error };
  const next: ReadyState = {
    ...ready,
    listing: error.retryable ? withDueTime(dirty, context) : dirty,
    ...(isRefusal(error) && { credentialsRefusal: error }),
  };
  const release: LinkEffect = { type: "release", run: state.run, error };
  if (!state.listing.demanded) return { state: next, effects: [release] };
  const again = startRun(next, context);
  return { state: again.state, effects: [release, ...again.effects] };
}

/**
 * Says whether a call has to wait for a listing, or may go out with the tools as they are known.
 */
export function mustList(state: ReadyState, { now, policy }: Pick<LinkContext, "now" | "policy">): boolean {
  if (isUpToDate(state, now) || policy.refresh === "manual") return false;
  return state.listing.kind !== "dirty" || now >= state.listing.notBefore;
}

function withDueTime(listing: DirtyListing, { now, policy }: LinkContext): DirtyListing {
  if (policy.refresh !== "debounced") return listing;
  const { since, restlessSince = since, notBefore } = listing;
  const quiet = Math.min(now + policy.debounceMs, since + policy.maxDelayMs);
  // A server that announces a change in each listing must not be listed without a pause for ever,
  // and one that has come to rest must be shown as it is. So it is left alone for as long again as
  // it has gone on.
  const patient = since + Math.min(policy.backoffMaxMs, since - restlessSince);
  return { ...listing, dueAt: Math.max(quiet, patient, notBefore) };
}

function dirtyAgain({ startedAt, restlessSince = startedAt }: RunningListing, context: LinkContext): DirtyListing {
  return withDueTime({ ...dirtySince(context.now), restlessSince }, context);
}

function restlessSinceOf(listing: ReadyState["listing"]): number | undefined {
  return listing.kind === "fresh" ? undefined : listing.restlessSince;
}

function listingTruncated(serverId: string, { truncated, tools, failure }: ToolListing): HostsideError {
  const what = `stops after ${tools.length} tools (${truncated}), and is not the whole one; the last whole one is kept`;
  return new HostsideError(`the list of tools of ${JSON.stringify(serverId)} ${what}`, {
    code: "listing_truncated",
    serverId,
    details: { operation: "tools/list" },
    ...(failure !== undefined && { cause: failure, retryable: failure.retryable }),
  });
}

function dirtySince(since: number): DirtyListing {
  return { kind: "dirty", since, notBefore: 0, failures: 0 };
}

function withListing(state: RunningState, flags: Partial<Pick<RunningListing, "noticed" | "demanded">>): RunningState {
  // The two branches differ in their types alone.
  return state.kind === "listing"
    ? { ...state, listing: { ...state.listing, ...flags } }
    : { ...state, listing: { ...state.listing, ...flags } };
}

// A listing is good for as long as its server says, also where the server announces changes: many
// of these have no stream for it. It is never asked for more often than this.
const shortestHoldMs = 30_000;

function toReady(
  state: RunningState,
  { now, policy }: LinkContext,
  { ttlMs = 0 }: Pick<ToolListing, "ttlMs"> = {},
): ReadyState {
  const { listing, session, run, failures, connectedAt, connectMs } = state;
  return {
    kind: "ready",
    session,
    run,
    failures,
    connectedAt,
    connectMs,
    listMs: now - listing.startedAt,
    listing: { kind: "fresh", ...(ttlMs > 0 && { until: now + Math.max(ttlMs, shortestHoldMs) }) },
    ...(Number.isFinite(policy.idleMs) && { idleAt: now + policy.idleMs }),
  };
}

function runningSince(now: number): RunningListing {
  return {
    kind: "running",
    startedAt: now,
    outdated: false,
    noticed: false,
    demanded: false,
    repeat: false,
    failures: 0,
  };
}
