import type { HostsideError, Random, ToolListing } from "@hostside/core";

/**
 * The life of one registered server. Each state carries only what it has; `transition` is the only
 * way from one to the next.
 *
 * Sessions and runs are numbered per link, so that whatever comes late (an answer, a failure, a
 * notification) can be kept apart from what is current.
 */
export type LinkState =
  | (Numbered & { readonly kind: "disabled" })
  | IdleState
  | ConnectingState
  | ListingState
  | ReadyState
  | DownState
  | FailedState
  | NeedsAuthState
  | (Numbered & { readonly kind: "removed"; readonly error: HostsideError });

/** The latest attempt, or session, has failed. */
interface Retried extends Numbered {
  readonly error: HostsideError;
  readonly failures: number;
  readonly retryAt: number;
}

interface Numbered {
  /** Number of the latest session that was asked for; 0 before the first. */
  readonly session: number;
  /** Number of the latest listing that was started; 0 before the first. */
  readonly run: number;
}

/** The last failure, while nothing has worked since. */
export interface LastFailure {
  readonly stage: "connect" | "list" | "session";
  readonly error: HostsideError;
}

/** No session, and none wanted: never used yet, or disconnected on request. */
export interface IdleState extends Numbered {
  readonly kind: "idle";
  readonly lastFailure?: LastFailure | undefined;
}

/** A connection attempt is under way. */
export interface ConnectingState extends Numbered {
  readonly kind: "connecting";
  /** `undefined` while the attempt waits for its turn, which costs it no time. */
  readonly startedAt: number | undefined;
  readonly failures: number;
  readonly lastFailure?: LastFailure | undefined;
  /** Nobody waits for it but calls, which need no listing if there is one that still holds. */
  readonly forCalls?: boolean;
}

/** A session is live, and its first listing is under way. Nothing is called before it is done. */
export interface ListingState extends Numbered {
  readonly kind: "listing";
  readonly connectedAt: number;
  readonly connectMs: number;
  readonly failures: number;
  readonly listing: RunningListing;
  readonly lastFailure?: LastFailure | undefined;
}

/** A session is live and has listed its tools. */
export interface ReadyState extends Numbered {
  readonly kind: "ready";
  readonly connectedAt: number;
  readonly connectMs: number;
  /** How long the latest good listing took; absent before the first of this link. */
  readonly listMs?: number;
  /**
   * Failures before this session that nothing has made up for yet; back to 0 after a call that
   * worked.
   */
  readonly failures: number;
  /**
   * A fresh listing holds `until` then, where its server said so. Without it, until the server says
   * that its tools changed.
   */
  readonly listing: { readonly kind: "fresh"; readonly until?: number } | DirtyListing | RunningListing;
  /** When to look whether the session is still used; absent where sessions are kept. */
  readonly idleAt?: number;
  /**
   * The latest refusal of our credentials during this session; absent after a call or listing that
   * worked.
   */
  readonly credentialsRefusal?: HostsideError;
}

/** The session was lost. The next call gets another one. */
export interface DownState extends Retried {
  readonly kind: "down";
}

/** The latest attempt to get a session, or its first listing, failed. Never final. */
export interface FailedState extends Retried {
  readonly kind: "failed";
  readonly stage: "connect" | "list";
  /**
   * Its program ended at once and in the same way as the time before: another attempt for nobody
   * would be no different.
   */
  readonly hopeless?: boolean;
}

/**
 * The latest attempt failed for want of credentials. Never tried again by itself, because only a
 * person can help.
 */
export interface NeedsAuthState extends Retried {
  readonly kind: "needs-auth";
  readonly stage: "connect" | "list";
}

/** The server said that its tools changed, or the latest listing failed. */
export interface DirtyListing {
  readonly kind: "dirty";
  /** When the first of the notifications came that no listing has answered yet. */
  readonly since: number;
  /** When the provider lists by itself; absent when it waits for a call or a refresh. */
  readonly dueAt?: number;
  /**
   * Until then calls go on with the last good tools instead of trying a listing that has just
   * failed.
   */
  readonly notBefore: number;
  readonly failures: number;
  readonly error?: HostsideError;
  /** Since when each listing was outdated by a notification before it was in. */
  readonly restlessSince?: number | undefined;
}

/** A `tools/list` is under way. */
export interface RunningListing {
  readonly kind: "running";
  readonly startedAt: number;
  /** It was started because the tools on show are known to be old. */
  readonly outdated: boolean;
  /** A notification came while it ran: one more listing is due. */
  readonly noticed: boolean;
  /** A refresh came while it ran and must not be answered by it: one more listing is due. */
  readonly demanded: boolean;
  /**
   * It is that one more listing; what is noticed while it runs waits for the next call or refresh,
   * or for its time.
   */
  readonly repeat: boolean;
  /** Listings of this session that failed in a row before this one. */
  readonly failures: number;
  /** Since when each listing before this one was outdated by a notification before it was in. */
  readonly restlessSince?: number | undefined;
}

/** Returns the last failure in a state without a session, if nothing has worked since. */
export function lastFailureOf(state: LinkState): LastFailure | undefined {
  switch (state.kind) {
    case "idle":
    case "connecting":
    case "listing":
      return state.lastFailure;
    case "failed":
    case "needs-auth":
      return { stage: state.stage, error: state.error };
    case "down":
      return { stage: "session", error: state.error };
    default:
      return undefined;
  }
}

/** A session with a listing under way. */
export type RunningState = ListingState | (ReadyState & { readonly listing: RunningListing });

/**
 * The name of a state outside: its listing is part of a start, and whoever was refused needs
 * other credentials.
 */
export type StateName = Exclude<LinkState["kind"], "listing">;

/** The name of a state. */
export function stateNameOf(state: LinkState): StateName {
  if (state.kind === "listing") return "connecting";
  return state.kind === "ready" && state.credentialsRefusal !== undefined ? "needs-auth" : state.kind;
}

/**
 * Says whether an error means that the server refused our credentials, or wants others: then only a
 * person can help.
 */
export function isRefusal({ code }: HostsideError): boolean {
  return code === "auth_required" || code === "forbidden";
}

/**
 * Says whether a failure may be over by the next attempt. A missing part (a program, a sign-in, a
 * common protocol) stays missing until somebody mends it.
 */
export function mayPass({ error, stage }: FailedState): boolean {
  return error.retryable || stage === "list";
}

/** Says whether a session is live in this state. */
export function hasSession(state: LinkState): state is ListingState | ReadyState {
  return state.kind === "listing" || state.kind === "ready";
}

/** Says whether the tools on show are the server's latest, as far as this host knows. */
export function isUpToDate({ listing }: ReadyState, now: number): boolean {
  if (listing.kind === "fresh") return listing.until === undefined || now < listing.until;
  return listing.kind === "running" && !listing.outdated && !listing.noticed;
}

/** Says whether a listing is under way in this state. */
export function isRunning(state: LinkState): state is RunningState {
  return hasSession(state) && state.listing.kind === "running";
}

/**
 * The aim of a wait. `call`: tools no older than the server's latest notification. `ready`:
 * the same, tried at once even during back-off. `refresh`: a listing that starts from now on.
 */
export type Demand = "call" | "ready" | "refresh";

/** An event of a link. `session` and `run` say which one a report is about. */
export type LinkEvent =
  | { readonly type: "want"; readonly demand: Demand; readonly tickets: readonly number[] }
  /** The attempt waits for its turn to start, or no longer does. */
  | { readonly type: "turn"; readonly session: number; readonly waits: boolean }
  /** `listedUntil`: until when, on the clock, this server's word of before is still good. */
  | { readonly type: "connected"; readonly session: number; readonly listedUntil?: number | undefined }
  | { readonly type: "connect-failed"; readonly session: number; readonly error: HostsideError }
  | { readonly type: "listed"; readonly session: number; readonly run: number; readonly listing: ToolListing }
  | { readonly type: "list-failed"; readonly session: number; readonly run: number; readonly error: HostsideError }
  | { readonly type: "tools-changed"; readonly session: number }
  /**
   * The session is gone: its process died, its connection broke, or the server no longer knows it.
   */
  | { readonly type: "session-lost"; readonly session: number; readonly error: HostsideError }
  /** A call was refused for want of credentials. */
  | { readonly type: "credentials-refused"; readonly session: number; readonly error: HostsideError }
  /** A call worked. */
  | { readonly type: "proven"; readonly session: number }
  /** The time that `wakeAt` named has come. */
  | { readonly type: "wake" }
  /** The next session is to be opened by another spec; what runs on this one may finish. */
  | { readonly type: "renew"; readonly error: HostsideError }
  /** With a `refusal`, a user has to sign in before the next session. */
  | { readonly type: "disconnect"; readonly error: HostsideError; readonly refusal?: HostsideError | undefined }
  /** With `drain`, calls that are under way may finish. */
  | { readonly type: "remove"; readonly error: HostsideError; readonly drain?: boolean };

/** An effect of a transition, in the order of the list. */
export type LinkEffect =
  | { readonly type: "connect"; readonly session: number }
  /**
   * End a session, or an attempt to get one, because of `error`. With `drain`, calls that are under
   * way on it may finish first.
   */
  | { readonly type: "close"; readonly session: number; readonly error: HostsideError; readonly drain?: boolean }
  | { readonly type: "list"; readonly session: number; readonly run: number }
  | { readonly type: "publish"; readonly listing: ToolListing }
  /** The holders of the tickets may go on at once. */
  | { readonly type: "go"; readonly tickets: readonly number[] }
  /** The holders of the tickets wait for this run. */
  | { readonly type: "wait"; readonly tickets: readonly number[]; readonly run: number }
  | { readonly type: "refuse"; readonly tickets: readonly number[]; readonly error: HostsideError }
  /**
   * Waiters for this run or an earlier one go on; with an `error`, those who wanted a refresh
   * get it instead.
   */
  | { readonly type: "release"; readonly run: number; readonly error?: HostsideError }
  /** Everybody who waits gets the error. */
  | { readonly type: "reject"; readonly error: HostsideError };

/** The facts for a transition besides state and event. */
export interface LinkContext {
  readonly serverId: string;
  readonly now: number;
  readonly random: Random;
  readonly policy: LinkPolicy;
  /** Says whether anybody waits. */
  readonly waiting: boolean;
  /** Says whether the tools on show are those of a whole listing. */
  readonly hasWholeListing: boolean;
  /**
   * Says whether the current session was opened of what was known, and its server has not been
   * heard of yet.
   */
  readonly isAssumed: boolean;
  /** When the latest call on the current session ended; `undefined` while one is under way. */
  readonly unusedSince: number | undefined;
}

/** The next state, and what is to be done. The same state object means that nothing happened. */
export interface Step {
  readonly state: LinkState;
  readonly effects: readonly LinkEffect[];
}

/** The event changes nothing. */
export function stay(state: LinkState, ...effects: readonly LinkEffect[]): Step {
  return { state, effects };
}

/** When a changed tool list is read again: see `ProviderOptions.refresh`. */
export type RefreshMode = "lazy" | "debounced" | "manual";

/** The numbers that a link's transitions depend on, all in milliseconds but for the counts. */
export interface LinkPolicy {
  readonly refresh: RefreshMode;
  readonly debounceMs: number;
  readonly maxDelayMs: number;
  readonly backoffBaseMs: number;
  readonly backoffMaxMs: number;
  readonly background: boolean;
  /** How long a session may go unused; `Infinity` for ever. */
  readonly idleMs: number;
  /** When a connection attempt that has not even failed is given up. */
  readonly connectBackstopMs: number;
  /** The same for a listing. */
  readonly listBackstopMs: number;
}

/**
 * How long to wait after `failures` failures in a row: anything from nothing to a ceiling that
 * doubles each time, up to a cap. This "full jitter" spreads the retries of many hosts best:
 * https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
 */
export function backoffMs(failures: number, policy: LinkPolicy, random: Random): number {
  // 2 ** 30 times any base is above any cap; a larger exponent would become Infinity.
  const ceiling = Math.min(policy.backoffMaxMs, policy.backoffBaseMs * 2 ** Math.min(30, Math.max(0, failures - 1)));
  return random() * ceiling;
}

/**
 * How long the server itself asks to be left alone (`Retry-After`), up to the same cap; 0 when it
 * does not.
 */
export function askedMs({ details }: HostsideError, { backoffMaxMs }: LinkPolicy): number {
  return Math.min(details.retryAfterMs ?? 0, backoffMaxMs);
}
