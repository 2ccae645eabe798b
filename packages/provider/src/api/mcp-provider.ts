/// <reference lib="esnext.disposable" preserve="true" />
import type {
  CallRecord,
  Connection,
  Diagnostic,
  Event,
  HostsideError,
  HttpEntry,
  ServerInfo,
  ServerLog,
  ServerNotification,
  ServerOperation,
  ServerPeer,
  ServerRecord,
  ServerSpec,
  Subscription,
  ToolEffect,
  ToolListing,
  ToolProvider,
  UnreadyGroup,
} from "@hostside/core";
import type { SavedNames } from "@hostside/naming";
import type { QuarantinedServerTool } from "../catalog/catalog.ts";
import type { SavedCatalog } from "../saved/read-saved-catalog.ts";

/**
 * Options of an operation that can be given up. An option that is unknown or of a wrong type is a
 * `TypeError` before anything happens.
 */
export interface OperationOptions {
  /**
   * Ends the wait, with `aborted`. Work that was started for others too goes on; the start of
   * `addServer` is undone.
   */
  readonly signal?: AbortSignal | undefined;
}

/** Options of an operation that a user may have asked for. */
export interface UserOperationOptions extends OperationOptions {
  /**
   * A user waits for this and may be asked to authorize the access: with `auth: "oauth"`, a client
   * may be registered and the provider's `redirectToAuthorization` be called meanwhile. The
   * operation then rejects with `auth_required`; finish the authorization and repeat it. Nothing
   * else ever shows a page: neither `init()`, `refresh()` and calls, nor a server that is tried
   * again in the background. Default `false`.
   */
  readonly interactive?: boolean;
}

/** How what is under way on a server ends. */
export interface EndOptions {
  /**
   * How long calls and requests that were sent may take to finish, in milliseconds, while
   * everything else goes on without them; what has not finished then is cut, with `server_removed`.
   * Calls that wait to be sent are refused at once. At most a day; 0 cuts at once.
   */
  readonly drainMs?: number | undefined;
  /**
   * Stands in the errors of what is cut or refused, and is sent to the server where the protocol
   * has a place for it. At most 1,000 characters.
   */
  readonly reason?: string | undefined;
}

/** Options of {@linkcode McpProvider.applyServers}. */
export interface ApplyOptions extends EndOptions, UserOperationOptions {
  /** See {@linkcode EndOptions}. Default 5,000. */
  readonly drainMs?: number | undefined;
  /**
   * How long servers that are not required are waited for, in milliseconds; who is late has not
   * failed, and comes later. Default: until they are there or have failed.
   */
  readonly timeoutMs?: number | undefined;
}

/**
 * The result of {@linkcode McpProvider.applyServers}: every id of the set before and after is in
 * one of the first four lists, sorted.
 */
export interface ApplyResult {
  readonly added: readonly string[];
  /** Have another spec now, whether they were restarted for it or not. */
  readonly updated: readonly string[];
  readonly removed: readonly string[];
  readonly unchanged: readonly string[];
  /**
   * The servers that were to be started and could not be reached. They stay registered, and are
   * tried again like any other.
   */
  readonly failed: readonly { readonly serverId: string; readonly error: HostsideError }[];
}

/** A resource that is subscribed to changed, or may have. */
export interface ServerResourceUpdate {
  readonly serverId: string;
  /**
   * The server's, which may name a part of what was subscribed to: untrusted. After a time without
   * a session, what was subscribed to.
   */
  readonly uri: string;
  /** There was no session for a time, and nobody could hear of a change then. */
  readonly maybeMissed?: true;
}

/** The way of a call by a local name. */
export interface ToolRoute {
  /** The local name. */
  readonly name: string;
  readonly serverId: string;
  /** The remote name, byte for byte. */
  readonly toolName: string;
  readonly qualifiedName: string;
  /** The tool's effect on the world, as its definition says; `external` where nobody knows. */
  readonly effect: ToolEffect;
}

/**
 * A {@linkcode ToolProvider} over MCP servers that can come and go while it is in use. One server's
 * fault never touches another one's tools.
 */
export interface McpProvider extends ToolProvider, AsyncDisposable {
  /**
   * The groups of servers that are not `ready`, whether their tools are known or not; without those
   * that are disabled or merely idle.
   */
  unreadyGroups(): readonly UnreadyGroup[];
  /**
   * The tools for which `admit` answered `"quarantine"`, sorted by local name. A call of theirs is
   * refused with `tool_quarantined`.
   */
  quarantined(): readonly QuarantinedServerTool[];
  /**
   * Asks `admit` once more about every tool that is known, without asking a server, and shows what
   * is on offer now: one change, in one event. For a rule whose answer has changed: something was
   * approved, or revoked. Throws `closed`, and an `Error` when `admit` itself calls it.
   */
  readmit(): void;
  /**
   * Says whether anybody is at work with it: a call that waits for a human or its turn, or
   * is with a server; a request on `connection()`; a resource that is subscribed to. For whoever
   * would end it otherwise.
   */
  readonly busy: boolean;
  /** One per registered server, sorted by id. Reads what is known; asks nobody. */
  statuses(): readonly ServerStatus[];
  /** Sorted. */
  serverIds(): readonly string[];
  hasServer(id: string): boolean;
  /**
   * Returns where each tool on offer leads, sorted by local name. Reads what is known; asks nobody.
   */
  routes(): readonly ToolRoute[];
  /**
   * Registers a server, connects to it and lists its tools: all or nothing. When any of it fails,
   * or `signal` aborts, nothing of the server is left, and no tool of it was ever to be seen. A
   * disabled server is only registered.
   *
   * Because one failure would cost it all, what is often over in a moment (HTTP 408, 429, 500, 502,
   * 503 and 504, and timeouts) is tried again after 250 ms and once more after 1 s, or when the
   * server asks for it, up to 5 s.
   *
   * Throws `invalid_spec`, `unsupported_transport` and `duplicate_server` before anything starts,
   * `server_removed` when it is removed meanwhile, and whatever the last attempt failed with. A
   * server that wants an authorization first (`auth_required`) is not kept either:
   * {@linkcode registerServer} is for that.
   */
  addServer(spec: ServerSpec, options?: UserOperationOptions): Promise<void>;
  /**
   * Registers a server and starts nothing: it is `idle`, and its tools come with the first
   * `init()`, `refresh()`, `refreshServer()`, `connection()` or a toolbox's call with
   * `wait: "servers"`. It stays registered whatever comes of that. So a server can be signed in to:
   * `refreshServer(id, { interactive: true })`, finish the authorization, and `refreshServer(id)`
   * again.
   *
   * Throws `invalid_spec`, `unsupported_transport` and `duplicate_server`.
   */
  registerServer(spec: ServerSpec): void;
  /**
   * Makes the set of servers this one, whatever it was before: adds, updates as
   * {@linkcode updateServer} does, and removes, in one step before this returns; everything is
   * checked before anything changes. New calls see the new set at once; those under way on a server
   * that is removed or restarted may finish within `drainMs`. A process starts only when the one
   * that it replaces has ended: calls of it wait that long; sessions over HTTP overlap. Then
   * connects and lists what is new and what was
   * restarted, all at the same time, unless its `startup` says otherwise; one server's failure is
   * an entry of `failed` and stops no other. Resolves when all that has settled and nothing is left
   * of what ended.
   *
   * The last change wins, be it another `applyServers`, an `addServer` or a `removeServer`. A
   * registration that `addServer` is still making becomes part of the set if it is in it, and stays
   * then though `addServer` fails. `signal` ends the wait and takes nothing back.
   *
   * Throws `invalid_spec`, `unsupported_transport`, `duplicate_server` or a `TypeError` before
   * anything changes; `aborted`, `closed`.
   */
  applyServers(specs: readonly ServerSpec[], options?: ApplyOptions): Promise<ApplyResult>;
  /**
   * Ends a registration; its tools are gone at once. Calls under way, also on what it replaced, may
   * finish within `drainMs`, by default 0: they are ended with `server_removed`. Resolves when
   * nothing of the server is left: `true`, or `false` when there was no such server. Until then the
   * next server of the same id waits with its start, unless what is left is a session over HTTP
   * with calls that may finish.
   */
  removeServer(id: string, options?: EndOptions): Promise<boolean>;
  /**
   * Ends the session and keeps registration and tools; the next call connects again. Throws
   * `unknown_server`.
   */
  disconnectServer(id: string): Promise<void>;
  /**
   * Gives a registered server another spec. Only what changed is done again: a new transport, era
   * or limit restarts the session, and the old tools stay until the new ones are listed; other
   * headers or another bearer token renew it, for the calls from then on, while those under way
   * finish on the old one; everything else takes effect at once, but for the timeouts that only a
   * session knows (`callIdleMs`, `requestMs`, `elicitMs`), which hold from the next one on. Does
   * not roll back: the new spec stands, also when this rejects because it could not be connected.
   * While an earlier update is under way, one with the same spec waits for it. Throws
   * `invalid_spec`, `unsupported_transport`, `unknown_server`.
   */
  updateServer(spec: ServerSpec, options?: UserOperationOptions): Promise<void>;
  /**
   * Like `refresh()`, for one server. Throws `unknown_server`, `server_disabled`, and whatever it
   * failed with.
   */
  refreshServer(id: string, options?: UserOperationOptions): Promise<void>;
  /**
   * Signs out of a server: ends its session, and calls under way with it, with `server_removed`;
   * then lets the connector forget what it holds to be let in (`Connector.clearCredentials`), such
   * as tokens of OAuth. Registration and tools stay; the next call connects anew and, where nothing
   * else lets it in, fails with `auth_required`. Until then nothing is heard of resources that are
   * subscribed to either: to connect for them would sign in again. Credentials in the spec are the
   * host's: `updateServer` changes them. Resolves when no session is left that was opened with what
   * was forgotten. Throws `unknown_server`, and what forgetting failed with; the session has ended
   * all the same.
   */
  clearCredentials(id: string): Promise<void>;
  /**
   * Has a server use what lets it in now: the host signed in to it, or signed out, beside the
   * connector. Calls from now on get a new session, and calls under way finish on the old one. A
   * server that waited for a sign-in is connected to. With `signedOut`, the session and its calls
   * end, with `server_removed`; the server says `needs-auth`, and the next call connects anew.
   * Registration and tools stay. Resolves when no session is left that was signed out of; throws
   * `unknown_server`.
   */
  credentialsChanged(id: string, options?: { readonly signedOut?: boolean | undefined }): Promise<void>;
  /**
   * The live connection of a server, for requests that are no tool calls; made if there is none.
   * Ask for it each time: it is replaced by every reconnect, and one whose session was ended takes
   * nothing new, also while calls finish on it. A request that is under way on it counts as use of
   * the session. Never close it.
   *
   * `callTool` and a request `tools/call` are calls like any other, of tools on offer or for apps
   * alone (`tool_removed`, `tool_quarantined`), through `requestSeam`. The interceptors of a
   * toolbox do not see them. Other requests, notifications and subscriptions go through
   * `requestInterceptors`. `listTools` shows the host everything that the server lists. Throws
   * `unknown_server`, `server_disabled`, and whatever connecting failed with.
   */
  connection(id: string, options?: UserOperationOptions): Promise<Connection>;
  /**
   * Has `onResourceUpdated` fire for this resource until the subscription ends, the server is
   * removed or the provider is closed: also after a reconnect, which counts as a change. While
   * something is subscribed to, a session is not ended for being unused, and one that is lost is
   * opened again without a call, with the back-off of any other attempt, again and again while its
   * failures can pass. A session that the host ended, by {@linkcode disconnectServer} or
   * {@linkcode clearCredentials}, is not opened again. Its updates resume with the next session
   * that somebody asks for. Throws `unknown_server`, `server_disabled`, `unsupported_operation`,
   * whatever connecting failed with, and what the server says of the resource; nothing is
   * subscribed to then.
   */
  subscribeResource(id: string, uri: string, options?: OperationOptions): Promise<Subscription>;
  /**
   * Returns the latest listing of each registered server, as JSON, for `savedCatalog` of the next
   * provider. Without credentials, and without a server whose listing has some in it. A `private`
   * listing in it is for its principal alone.
   */
  savedCatalog(): SavedCatalog;
  /**
   * Every name ever given to a registered server's tool, as JSON, so that it can be given again
   * after a restart.
   */
  savedNames(): SavedNames;
  /**
   * Fires when a server's state, error or staleness changes, and once more, with `removed`, when
   * its registration ends.
   */
  readonly onStatusChanged: Event<ServerStatus>;
  /**
   * Fires when a call has left its server behind, before its caller hears of it; not after
   * `close()` was called. It covers calls that began while somebody listened: nothing is measured
   * otherwise, and nothing is paid. For a single call: `CallOptions.observer`.
   */
  readonly onCallEnded: Event<CallRecord>;
  /**
   * Fires when the provider begins to connect to a server or to list it, in the turn of whoever
   * caused that where somebody did; who listens may hear more of it, and give what goes along in
   * `_meta` of its requests. Without a listener nothing is asked for.
   */
  readonly onServerOperation: Event<ServerOperation>;
  /**
   * Fires when a server was connected to or listed, or could not be, and when a session of it
   * ended; not after `close()` was called.
   */
  readonly onServerRecord: Event<ServerRecord>;
  /** Fires for what a developer wants to know and what stops nobody. */
  readonly onDiagnostic: Event<Diagnostic>;
  /** Fires for each line that a server logs. Untrusted. */
  readonly onServerLog: Event<ServerLog & { readonly serverId: string }>;
  /**
   * Fires when a server says that its resources or their templates changed, and when it comes back
   * after a time without a session.
   */
  readonly onResourcesChanged: Event<{ readonly serverId: string }>;
  /**
   * Fires when a server says that its prompts changed, and when it comes back after a time without
   * a session.
   */
  readonly onPromptsChanged: Event<{ readonly serverId: string }>;
  /** Fires when a resource changed, or may have, while something of its server is subscribed to. */
  readonly onResourceUpdated: Event<ServerResourceUpdate>;
  /**
   * Fires for each notification that no request waits for, as it came; of a flood only some.
   * Untrusted.
   */
  readonly onServerNotification: Event<ServerNotification & { readonly serverId: string }>;
  /**
   * Fires once, when `close()` was called: the last event there is. For whoever has something to
   * end with the provider.
   */
  readonly onClosed: Event<undefined>;
}

/**
 * `idle` no session, none wanted yet; `connecting` until the first listing is in; `ready`; `down`
 * the session was lost, the next call gets another one; `failed` the latest attempt failed, the
 * next one may not; `needs-auth` credentials are missing or refused; `disabled`; `removed` only in
 * the last `onStatusChanged` of a registration.
 */
export type ServerState = "idle" | "connecting" | "ready" | "down" | "failed" | "needs-auth" | "disabled" | "removed";

/**
 * The known facts about one server, at one moment. Plain data, safe to log: no header, environment
 * value or token is in it.
 */
export interface ServerStatus {
  readonly id: string;
  /** As the spec says, else as the server claims (untrusted). */
  readonly title?: string;
  readonly transport: ServerPeer["transport"];
  /**
   * The kind of credentials that it is asked with, as its spec says: `oauth` for one that a user
   * can be asked to sign in to. Absent: those of the spec, if any.
   */
  readonly auth?: HttpEntry["auth"];
  readonly state: ServerState;
  /** When it came into this state: milliseconds since 1970, for `new Date()`. */
  readonly since: number;
  /**
   * Why it is not `ready`, or why its tools could not be listed again. Stays while it is tried
   * again, until something works: then a server that is `connecting` still says what its latest
   * attempt failed with.
   */
  readonly error?: HostsideError;
  /** The stage that failed. */
  readonly stage?: "connect" | "list" | "session" | "call";
  /** Tools on offer now. */
  readonly toolCount: number;
  /**
   * The tools on offer may not be the server's latest: it announced a change, or could not be asked
   * since.
   */
  readonly stale: boolean;
  /** Why the latest listing is not the whole one. */
  readonly degraded?: NonNullable<ToolListing["truncated"]>;
  /** Tools of the latest listing that could not be used; `onDiagnostic` said why. */
  readonly droppedTools: number;
  /** The server's own description; of the latest session. Untrusted. */
  readonly server?: ServerInfo;
  /** When the session was connected: milliseconds since 1970, for `new Date()`. */
  readonly connectedAt?: number;
  /** How long connecting took, every fallback included. */
  readonly connectMs?: number;
  /** How long the latest good listing took. */
  readonly listMs?: number;
  /** When the latest good listing came in: milliseconds since 1970, for `new Date()`. */
  readonly listedAt?: number;
  /** Sessions asked for so far. */
  readonly attempts: number;
  /** Failures in a row. */
  readonly failures: number;
  /**
   * From when on a failure is no longer held against the next attempt: milliseconds since 1970, for
   * `new Date()`. Absent when that time has come. An attempt that nobody asks for is another
   * matter: of a server that is `down` there is one while something is subscribed to.
   */
  readonly retryAt?: number;
  /** Calls on the wire. */
  readonly inFlight: number;
  /** Calls that wait for the session, for a listing or for their turn. */
  readonly waiting: number;
}
