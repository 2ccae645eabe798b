/// <reference lib="esnext.disposable" preserve="true" />
import type { Event, ServerSharing, ServerSpec } from "@hostside/core";
import type { McpProvider } from "@hostside/provider";

/**
 * The owner of a shared provider. The provider of all has neither `principal` nor `conversation`.
 */
export interface SharedOwner {
  readonly sharing: ServerSharing;
  /** Absent: all share it, or it belongs to nobody in particular. */
  readonly principal?: string;
  readonly conversation?: string;
}

/** The owner and the servers of a provider to be made. */
export interface SharedProviderRequest extends SharedOwner {
  /** The servers that it is to have: those that its owners may share. */
  readonly servers: readonly ServerSpec[];
  /**
   * Aborts when the provider is no longer wanted. A provider that is made all the same is closed.
   */
  readonly signal: AbortSignal;
}

/** Options of {@linkcode createSharedProviders}. */
export interface SharedProvidersOptions {
  /**
   * Makes a provider of its own for each owner, and waits for its servers if it likes. If it fails,
   * all waiting requests get its error; the next request tries again.
   */
  readonly make: (request: SharedProviderRequest) => McpProvider | Promise<McpProvider>;
  /**
   * All servers, until `updateConfig()`. The `sharing` of a server says who may share a connection
   * to it. Default: by whether it has credentials. Default none.
   */
  readonly servers?: readonly ServerSpec[] | undefined;
  /**
   * Most connections of one principal, those of its conversations included and those that all share
   * left out. Default: as many as there are.
   */
  readonly maxPerPrincipal?: number | undefined;
  /**
   * How long an idle provider is kept, in milliseconds. Default 1,800,000: half an hour, about as
   * long as a person may be away from a conversation. Looked for every tenth of it, from 50 ms to a
   * minute.
   */
  readonly ttlMs?: number | undefined;
  /**
   * Most providers at a time, those that are ending included. One more, and the one ends that was
   * not used for the longest time and is not in use. Default 1,000.
   */
  readonly maxProviders?: number | undefined;
  /**
   * Most servers of all providers together, connected or not, those that are disabled left out.
   * Default 4,000.
   */
  readonly maxConnections?: number | undefined;
  /**
   * Most of these that are processes (`stdio`). Default 250.
   */
  readonly maxProcesses?: number | undefined;
  /**
   * How long a request waits while all that would make room is in use, in milliseconds, before it
   * is refused with `overloaded`. Default 0: at once.
   */
  readonly waitMs?: number | undefined;
  /** How long `make` may take, in milliseconds. Default 60,000. */
  readonly makeMs?: number | undefined;
  /**
   * How long calls that are with a server may take when their provider is disposed of or their
   * server is changed, in milliseconds. Default 5,000.
   */
  readonly drainMs?: number | undefined;
}

/** Options of a request that can be given up. */
export interface LeaseOptions {
  /** Ends the wait, with `aborted`. A provider that no request waits for is not made. */
  readonly signal?: AbortSignal | undefined;
}

/** The conversation that asks, and its principal. */
export interface ConversationKey {
  /** Belongs to its principal: the same text under another principal is another conversation. */
  readonly conversation: string;
  /** Absent: nobody in particular; all who say none are one. */
  readonly principal?: string | undefined;
}

/**
 * The right to the providers of a conversation: as long as it is held, none of them is reaped or
 * displaced.
 */
export interface ConversationLease extends Disposable {
  readonly conversation: string;
  readonly principal?: string;
  /**
   * The provider of all, of the principal and of the conversation, in this order, as far as they
   * have servers.
   */
  readonly providers: readonly McpProvider[];
  /** Gives them back. Idempotent. */
  release(): void;
}

/**
 * Why a provider of a pool ended: `idle` nobody used it for long enough; `disposed` somebody asked
 * for it; `displaced` another one needed its place; `shutdown` the pool ended; `closed` somebody
 * else closed it.
 */
export type EndOfProvider = "idle" | "disposed" | "displaced" | "shutdown" | "closed";

/** An event of a provider, with its owner. */
export type SharedEvent = SharedOwner & Happening;

/** An event of a provider. */
export type Happening =
  | { readonly type: "created" }
  | { readonly type: "create-failed"; readonly error: unknown }
  | { readonly type: "updated" }
  /**
   * The new servers were refused; the provider has those from before, until the next
   * `updateConfig()`.
   */
  | { readonly type: "update-failed"; readonly error: unknown }
  /** Nothing is left of it. */
  | { readonly type: "ended"; readonly why: EndOfProvider; readonly reason: string; readonly livedMs: number };

/** One provider, at one moment. Plain data. */
export interface SharedStatus extends SharedOwner {
  readonly state: "creating" | "ready" | "ending";
  /** Fingerprint of its set of servers, by `fingerprintServers()` of `@hostside/provider`. */
  readonly fingerprint: string;
  /** `true` if it gets other servers with the next request. */
  readonly outdated: boolean;
  readonly leases: number;
  /** `true` during calls, requests and subscriptions, as its provider says. */
  readonly busy: boolean;
  /** How long nobody has used it, in milliseconds. */
  readonly idleMs: number;
  /**
   * Its servers, connected or not, those that are disabled left out: what counts for
   * `maxConnections`.
   */
  readonly connections: number;
  /** Its servers that are processes, which count for `maxProcesses`. */
  readonly processes: number;
}

/**
 * Names the providers to end: those of a principal and of all its conversations, or those of one
 * conversation.
 */
export type SharedTarget = ConversationKey | { readonly principal: string };

/**
 * One provider for what all may share, one for each principal, one for each conversation; made when
 * they are wanted, ended when nobody uses them any more.
 */
export interface SharedProviders extends AsyncDisposable {
  /**
   * The providers of a conversation, held until they are given back: `using lease = await
   * shared.lease({ conversation, principal })`. Missing providers are made at the same time; later
   * requests get the same objects. Either all of them are had or none: who waits for room keeps
   * nothing from others.
   *
   * Rejects with what `make` failed with, a `TypeError` for a key that is none, or when what `make`
   * gave is closed or was given before, `connect_timeout` when it took longer than
   * `makeMs`, `overloaded` when there is no room (`details.policy` names the bound), `aborted`, and
   * `closed` when the conversation or its principal was disposed of meanwhile, or all were shut
   * down.
   */
  lease(key: ConversationKey, options?: LeaseOptions): Promise<ConversationLease>;
  /**
   * Ends the providers of a principal and of all its conversations, or of one conversation, also
   * while they are made: calls that are with a server may finish within `drainMs`, and leases are
   * worth nothing there any more. Resolves, when nothing is left of them, to whether there was one.
   * `reason` is in errors, and is sent to servers where the protocol has a place for it; rejects
   * with a `TypeError` for one that is blank or has more than 1,000 characters, and then ends
   * nothing.
   */
  dispose(target: SharedTarget, reason?: string): Promise<boolean>;
  /**
   * Ends all of them without waiting for calls, and refuses new ones with `closed`. Idempotent.
   * Default reason `"client shutdown"`; throws as `dispose()` rejects.
   */
  shutdownAll(reason?: string): Promise<void>;
  /**
   * Other servers from now on. Lazy: a provider gets them when a conversation next asks for it, as
   * `updateConfig()` of a pool does. But a server that others may share than before is taken at
   * once from the providers that have it, and comes in others when it is gone there. Throws
   * `invalid_spec`, `duplicate_server`, `overloaded` for a set that no bound has room for, and a
   * `TypeError`, and then changes nothing.
   */
  updateConfig(servers: readonly ServerSpec[]): void;
  /**
   * Lists the provider of all first, then by principal and conversation. Reads what is known; asks
   * nobody.
   */
  statuses(): readonly SharedStatus[];
  readonly onEvent: Event<SharedEvent>;
}
