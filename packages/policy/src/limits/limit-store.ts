import type { Event } from "@hostside/core";

/** One limit as a store has to hold it: numbers alone. Amounts of time are milliseconds. */
export interface LimitRule {
  /** Names it among the limits of one policy, and for people. */
  readonly name: string;
  /**
   * A bucket of `burst` tokens that gets `calls` of them every `perMs`, evenly; a call takes one.
   */
  readonly rate?: { readonly calls: number; readonly perMs: number; readonly burst: number } | undefined;
  /** How many calls may be under way together. */
  readonly concurrency?: number | undefined;
  /** How many calls may be made in all, or within each `perMs` from the first one on. */
  readonly budget?: { readonly calls: number; readonly perMs?: number | undefined } | undefined;
  /**
   * How long a call may wait for rate and concurrency; 0: not at all. Nobody waits for a budget.
   */
  readonly waitMs: number;
}

/** One limit that holds for a call, and its key: each key has an allowance of its own. */
export interface LimitWant {
  readonly rule: LimitRule;
  readonly key: string;
}

/** The share that a call was given. */
export interface LimitLease {
  readonly granted: true;
  /** How long it waited for it, in milliseconds. */
  readonly waitedMs: number;
  /**
   * Ends it: the call is no longer under way. If it was not sent, what it took of budgets is given
   * back. Idempotent.
   */
  settle(wasSent: boolean): void;
}

/** Why a call was given nothing. */
export interface LimitRefusal {
  readonly granted: false;
  readonly rule: LimitRule;
  /** The part of the rule. */
  readonly part: "rate" | "concurrency" | "budget";
  readonly used: number;
  readonly limit: number;
  /** When there may be room again; `undefined` when that cannot be known, or never. */
  readonly retryAfterMs: number | undefined;
  /**
   * The allowance is one that all newcomers share, because there are too many keys to keep one for
   * each.
   */
  readonly shared: boolean;
}

/** That a store can count no more, and that it can again. */
export type LimitStoreOutage = { readonly state: "down"; readonly error: unknown } | { readonly state: "up" };

/**
 * Counts limits: in memory by default ({@linkcode createMemoryLimitStore}), or in one
 * place for many replicas of a host.
 *
 * A call gets something of every limit that it wants, or nothing of any, as one step. Not one of
 * them is ever exceeded by what it gives.
 */
export interface LimitStore {
  /**
   * Tells each outage once, and its end; then a policy tells of it what it hears here, and not what
   * each call meets.
   */
  readonly onOutage?: Event<LimitStoreOutage> | undefined;
  /**
   * Takes for one call; waits as long as the rules allow. Only what waits or asks another process
   * returns a promise. Rejects with the reason of `signal` when that aborts first; from then on the
   * call has neither a place nor anything to settle.
   */
  take(
    wants: readonly LimitWant[],
    signal: AbortSignal | undefined,
  ): LimitLease | LimitRefusal | Promise<LimitLease | LimitRefusal>;
}
