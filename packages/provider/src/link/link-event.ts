import type { Random, ToolListing, HostsideError } from "@hostside/core";
import type { LinkPolicy } from "./link-policy.ts";
import type { LinkState } from "./link-state.ts";

/**
 * What somebody waits for. `call`: tools no older than the server's latest notification. `ready`:
 * the same, tried at once even during back-off. `refresh`: a listing that starts from now on.
 */
export type Demand = "call" | "ready" | "refresh";

/** What happens to a link. `session` and `run` say which one a report is about. */
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
  | { readonly type: "refused"; readonly session: number; readonly error: HostsideError }
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

/** What is to be done about it, in this order. */
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
   * Who waits for this run or an earlier one goes on; with an `error`, those who wanted a refresh
   * get it instead.
   */
  | { readonly type: "release"; readonly run: number; readonly error?: HostsideError }
  /** Everybody who waits gets the error. */
  | { readonly type: "reject"; readonly error: HostsideError };

/** What a transition may look at besides state and event. */
export interface LinkContext {
  readonly serverId: string;
  readonly now: number;
  readonly random: Random;
  readonly policy: LinkPolicy;
  /** Whether anybody waits. */
  readonly waiting: boolean;
  /** Whether the tools on show are those of a whole listing. */
  readonly hasWholeListing: boolean;
  /**
   * Whether the current session was opened of what was known, and its server has not been heard of
   * yet.
   */
  readonly isAssumed: boolean;
  /** Whether the server of the current session says that it tells when its tools change. */
  readonly announces: boolean;
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
