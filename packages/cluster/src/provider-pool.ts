/// <reference lib="esnext.disposable" preserve="true" />
import type { Event, ServerSpec } from "@hostside/core";
import type { McpProvider } from "@hostside/provider";

/**
 * Why a provider of a pool ended: `idle` nobody used it for long enough; `disposed` somebody asked
 * for it; `displaced` another one needed its place; `shutdown` the pool ended; `closed` somebody
 * else closed it.
 */
export type EndOfProvider = "idle" | "disposed" | "displaced" | "shutdown" | "closed";

/** What happened in a pool. */
export type PoolEvent =
  | { readonly type: "created"; readonly key: string }
  | { readonly type: "create-failed"; readonly key: string; readonly error: unknown }
  | { readonly type: "updated"; readonly key: string }
  /**
   * The new servers were refused; the provider has those from before, until the next
   * `updateConfig()`.
   */
  | { readonly type: "update-failed"; readonly key: string; readonly error: unknown }
  /** Nothing is left of it. */
  | {
      readonly type: "ended";
      readonly key: string;
      readonly why: EndOfProvider;
      readonly reason: string;
      readonly livedMs: number;
    };

/** One provider of a pool of whatever kind, at one moment. Plain data. */
export interface CommonStatus {
  readonly state: "creating" | "ready" | "ending";
  /**
   * Of the set of servers that it has, as `fingerprintServers()` of `@hostside/provider` makes it.
   */
  readonly fingerprint: string;
  /** Whether it gets other servers when it is next asked for. */
  readonly outdated: boolean;
  readonly leases: number;
  /**
   * Whether anybody is at work with it, as its provider says: a call, a request, a subscription.
   */
  readonly busy: boolean;
  /** How long nobody has used it, in milliseconds. */
  readonly idleMs: number;
  /**
   * Its servers, connected or not, those that are disabled left out: what counts for
   * `maxConnections`.
   */
  readonly connections: number;
  /** Those of them that are processes: what counts for `maxProcesses`. */
  readonly processes: number;
}

/** One provider of a pool, at one moment. Plain data. */
export interface PooledStatus extends CommonStatus {
  readonly key: string;
}

/** The right to a provider: as long as it is held, the provider is neither reaped nor displaced. */
export interface Lease extends Disposable {
  readonly key: string;
  readonly provider: McpProvider;
  /** Gives it back. Idempotent. */
  release(): void;
}

/** Options of a request that can be given up. */
export interface LeaseOptions {
  /** Ends the wait, with `aborted`. What nobody waits for any more is not made. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * One provider for each key: a conversation, a tenant, a user; made when it is wanted, ended when
 * nobody uses it any more.
 */
export interface ProviderPool extends AsyncDisposable {
  /**
   * The provider of a key; made if there is none. Whoever asks meanwhile and later gets the same
   * object, until it ends. Counts as use, as do calls; between them it may be displaced when the
   * pool is full, so hold a {@linkcode lease} over several. Default key: `"shared"`, one provider
   * for all.
   *
   * Rejects with what `make` failed with, a `TypeError` when what it gave is no provider, is closed
   * or was given before, `connect_timeout` when it took longer than `makeMs`, `overloaded` when
   * there is no room (`details.policy` names the bound), `aborted`, and `closed` when the key was
   * disposed of meanwhile or the pool was shut down.
   */
  getOrCreate(key?: string, options?: LeaseOptions): Promise<McpProvider>;
  /** The provider of a key if it is ready. Counts as use. */
  get(key?: string): McpProvider | undefined;
  /**
   * {@linkcode getOrCreate}, held until it is given back: `using lease = await pool.lease(key)`.
   * Never one that is ending.
   */
  lease(key?: string, options?: LeaseOptions): Promise<Lease>;
  /**
   * Ends the provider of a key, also while it is made: calls that are with a server may finish
   * within `drainMs`, and leases of it are worth nothing any more. Resolves, when nothing is left
   * of it, to whether there was one. `reason` is in errors, and is sent to servers where the
   * protocol has a place for it; rejects with a `TypeError` for one that is blank or has more than
   * 1,000 characters, and then ends nothing.
   */
  dispose(key: string, reason?: string): Promise<boolean>;
  /**
   * Ends all of them without waiting for calls, and refuses new ones with `closed`. Idempotent.
   * Default reason `"client shutdown"`; throws as `dispose()` rejects.
   */
  shutdownAll(reason?: string): Promise<void>;
  /**
   * Other servers from now on. Lazy: a provider gets them when it is next asked for, by
   * `applyServers()`: its object stays the same, only what changed restarts, and calls under way
   * may finish within `drainMs`. New calls see the new set at once. Throws `invalid_spec`,
   * `duplicate_server` for an id that is in it twice, `overloaded` for a set that no bound has room
   * for, and a `TypeError`, and then changes nothing.
   */
  updateConfig(servers: readonly ServerSpec[]): void;
  /** Sorted by key. Reads what is known; asks nobody. */
  statuses(): readonly PooledStatus[];
  readonly onEvent: Event<PoolEvent>;
}
