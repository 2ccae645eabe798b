/// <reference lib="esnext.disposable" preserve="true" />
import type {
  Connection,
  Diagnostic,
  Event,
  ServerLog,
  ServerNotification,
  ServerSpec,
  Subscription,
  ToolProvider,
  UnreadyGroup,
} from "@toolport/core";
import type { SavedNames } from "@toolport/naming";
import type { ServerStatus } from "./servers/server-status.ts";

/** Options of an operation that can be given up. */
export interface OperationOptions {
  /** Ends the wait, with `aborted`. What was started for others too goes on; what `addServer` started is undone. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of an operation that a user may have asked for. */
export interface UserOperationOptions extends OperationOptions {
  /**
   * A user waits for this and may be asked to authorize the access: with `auth: "oauth"`, a client may be registered and the provider's
   * `redirectToAuthorization` be called meanwhile. The operation then rejects with `auth_required`; finish the authorization and repeat
   * it. Nothing else ever shows a page: neither `init()`, `refresh()` and calls, nor a server that is tried again in the background.
   * Default `false`.
   */
  readonly interactive?: boolean;
}

/**
 * A {@linkcode ToolProvider} over MCP servers that can come and go while it is in use. One server's fault never touches another one's
 * tools.
 */
export interface McpProvider extends ToolProvider, AsyncDisposable {
  /** The groups of servers that are not `ready`, whether their tools are known or not; without those that are disabled or merely idle. */
  unreadyGroups(): readonly UnreadyGroup[];
  /** One per registered server, sorted by id. Reads what is known; asks nobody. */
  statuses(): readonly ServerStatus[];
  /** Sorted. */
  serverIds(): readonly string[];
  hasServer(id: string): boolean;
  /**
   * Registers a server, connects to it and lists its tools: all or nothing. When any of it fails, or `signal` aborts, nothing of the
   * server is left, and no tool of it was ever to be seen. A disabled server is only registered.
   *
   * Throws `invalid_spec`, `unsupported_transport` and `duplicate_server` before anything starts, `server_removed` when it is removed
   * meanwhile, and whatever the attempt failed with.
   */
  addServer(spec: ServerSpec, options?: UserOperationOptions): Promise<void>;
  /**
   * Ends a registration; its tools are gone at once, and calls under way are ended with `server_removed`. Resolves when nothing of
   * the server is left: `true`, or `false` when there was no such server.
   */
  removeServer(id: string): Promise<boolean>;
  /** Ends the session and keeps registration and tools; the next call connects again. Throws `unknown_server`. */
  disconnectServer(id: string): Promise<void>;
  /**
   * Gives a registered server another spec. Only what changed is done again: a new transport, era or limit restarts the session, and
   * the old tools stay until the new ones are listed; other headers or another bearer token renew it, for the calls from then on, while those
   * under way finish on the old one; everything else takes effect at once, but for the timeouts that only a session
   * knows (`callIdleMs`, `requestMs`, `elicitMs`), which hold from the next one on. Does not roll back: the new spec stands, also when
   * this rejects because it could not be connected. While an earlier update is under way, one with the same spec waits for it. Throws `invalid_spec`, `unsupported_transport`, `unknown_server`.
   */
  updateServer(spec: ServerSpec, options?: UserOperationOptions): Promise<void>;
  /** Like `refresh()`, for one server. Throws `unknown_server`, `server_disabled`, and whatever it failed with. */
  refreshServer(id: string, options?: UserOperationOptions): Promise<void>;
  /**
   * The live connection of a server, for requests that are no tool calls; made if there is none. Ask for it each time: it is replaced
   * by every reconnect. What is under way on it counts as use of the session. Never close it. Throws `unknown_server`, `server_disabled`, and whatever connecting failed with.
   */
  connection(id: string, options?: UserOperationOptions): Promise<Connection>;
  /**
   * Has `onResourceUpdated` fire for this resource until the subscription ends, the server is removed or the provider is closed: also after a
   * reconnect, which counts as a change. While something is subscribed to, a session is not ended for being unused, and one that is lost is
   * opened again without a call, with the back-off of any other attempt. Throws `unknown_server`, `server_disabled`, `unsupported_operation`, whatever
   * connecting failed with, and what the server says of the resource; nothing is subscribed to then.
   */
  subscribeResource(id: string, uri: string, options?: OperationOptions): Promise<Subscription>;
  /** Every name ever given to a registered server's tool, as JSON, so that it can be given again after a restart. */
  savedNames(): SavedNames;
  /** Fires when a server's state, error or staleness changes, and once more, with `removed`, when its registration ends. */
  readonly onStatusChanged: Event<ServerStatus>;
  /** Fires for what a developer wants to know and what stops nobody. */
  readonly onDiagnostic: Event<Diagnostic>;
  /** Fires for each line that a server logs. Untrusted. */
  readonly onServerLog: Event<ServerLog & { readonly serverId: string }>;
  /** Fires when a server says that its resources or their templates changed, and when it comes back after a time without a session. */
  readonly onResourcesChanged: Event<{ readonly serverId: string }>;
  /** Fires when a server says that its prompts changed, and when it comes back after a time without a session. */
  readonly onPromptsChanged: Event<{ readonly serverId: string }>;
  /** Fires when a resource changed, or may have, while something of its server is subscribed to. The URI is the server's: untrusted. */
  readonly onResourceUpdated: Event<{ readonly serverId: string; readonly uri: string }>;
  /** Fires for each notification that no request waits for, as it came; of a flood only some. Untrusted. */
  readonly onServerNotification: Event<ServerNotification & { readonly serverId: string }>;
}
