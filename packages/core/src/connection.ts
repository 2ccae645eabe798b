import type { CallContext } from "./call-context.ts";
import type { CallObserver } from "./call-observer.ts";
import type { SharedDeadline } from "./deadline.ts";
import type { Diagnostic } from "./diagnostic.ts";
import type { Subscription } from "./event.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import type { ProtocolEra, ServerSpec } from "./server-spec.ts";
import type { HostsideError } from "./hostside-error.ts";
import type { RemoteTool, ToolDefinition } from "./tool.ts";

/**
 * The description of a server by itself, bounded and untrusted, and the way it is spoken to. Only
 * `era` and `protocolVersion` are sure to be there.
 */
export interface ServerInfo {
  readonly era: ProtocolEra;
  readonly protocolVersion: string;
  /** Over HTTP: which of its two transports is spoken, of which `mode: "auto"` chose one. */
  readonly httpMode?: "streamable" | "sse";
  readonly name?: string;
  readonly title?: string;
  readonly version?: string;
  readonly description?: string;
  readonly instructions?: string;
  readonly capabilities: JsonObject;
}

/** A tool that was left out of a listing, and why. */
export interface DroppedTool {
  /** The remote name, if the entry had one. */
  readonly name?: string;
  readonly reason: string;
}

/**
 * All pages of one `tools/list`, read tool by tool and page by page: what is malformed costs
 * itself, never the rest.
 */
export interface ToolListing {
  /** In the server's order; names are unique (the first of two equal ones is kept). */
  readonly tools: readonly RemoteTool[];
  /**
   * Entries without a name that can be used, second ones of a name, and tools that cannot be called
   * over this connection.
   */
  readonly dropped: readonly DroppedTool[];
  /**
   * Tools of `tools` with the flag `"schema-replaced"`, and what was wrong with their schemas.
   * Absent when there are none.
   */
  readonly withoutSchema?: readonly DroppedTool[];
  /** Why the listing stops before the server's end of it; absent when it is complete. */
  readonly truncated?: "page-limit" | "tool-limit" | "size-limit" | "repeated-cursor" | "bad-cursor" | "page-failed";
  /** Why the next page could not be had, with `"page-failed"`. */
  readonly failure?: HostsideError;
  readonly pages: number;
  /**
   * For how long the server says that the listing holds, in milliseconds from its arrival; of
   * several pages the shortest. Servers of 2026-07-28 say so. Absent: 0, it may be another one at
   * once.
   */
  readonly ttlMs?: number;
  /**
   * The audience of the listing: `"public"`, the same for everybody; `"private"`, that of whoever
   * asked, which no other principal may be shown; of several pages `"private"` if any is. Absent:
   * `"private"`.
   */
  readonly cacheScope?: "public" | "private";
}

/** A server as it was listed before, perhaps by another process. */
export interface KnownServer {
  readonly server: ServerInfo;
  /** As they were listed. */
  readonly tools: readonly RemoteTool[];
}

/** Options of a request that is not a tool call. */
export interface RequestOptions {
  /** Aborts the request; it rejects with `aborted`. */
  readonly signal?: AbortSignal | undefined;
  /** In milliseconds. Default: the matching member of the server's `timeouts`. */
  readonly timeoutMs?: number | undefined;
  /** For the host alone, as with a call; reaches no server. */
  readonly context?: CallContext | undefined;
  /**
   * A time budget of which this request is a part: see {@linkcode CallOptions.deadline}. A
   * connection itself does not read it.
   */
  readonly deadline?: SharedDeadline | undefined;
  /**
   * Hears of each JSON-RPC request that it takes (`onExchange`). Its `meta` is asked where the
   * request has no params of its caller's: with each page of a listing, and when a resource is
   * subscribed to. Default: nobody does.
   */
  readonly observer?: CallObserver | undefined;
}

/** Options of a listing. */
export interface ListToolsOptions extends RequestOptions {
  /**
   * Whether a tool of this remote name is wanted. Unwanted tools do not count as tools of the
   * server, and may be left out of the listing. Default: all are.
   */
  readonly wants?: ((toolName: string) => boolean) | undefined;
}

/** A form or link that a server asks a human to answer. Everything in it is untrusted. */
export interface ElicitationRequest {
  readonly serverId: string;
  readonly mode: "form" | "url";
  readonly message: string;
  /** The wire parameters, unchanged. */
  readonly params: JsonObject;
  /**
   * The context of the call that the question belongs to, where that is known; of several calls of
   * one conversation, what they have in common.
   */
  readonly context?: CallContext | undefined;
}

/** The human's answer. */
export interface ElicitationResult {
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: JsonObject | undefined;
}

/** A line that a server logged, by `notifications/message` or on stderr. Untrusted, bounded. */
export interface ServerLog {
  readonly source: "notification" | "stderr";
  /** An RFC 5424 level; stderr lines are `"info"`. */
  readonly level: string;
  readonly text: string;
}

/** A notification of a server, as it came. Untrusted, and no larger than a message may be. */
export interface ServerNotification {
  readonly method: string;
  readonly params?: JsonObject;
}

/**
 * How a connection reports upwards. Given at construction; each is called at most once per
 * occurrence, never after `close()` was called, and must not throw.
 */
export interface ConnectionHooks {
  /**
   * The server says that its tools changed, or a stream on which it would have said so was
   * interrupted.
   */
  readonly onToolsChanged: () => void;
  /**
   * The same for its resources and their templates. Absent: servers of 2026-07-28 are not asked to
   * tell.
   */
  readonly onResourcesChanged?: () => void;
  /** The same for its prompts. Absent: servers of 2026-07-28 are not asked to tell. */
  readonly onPromptsChanged?: () => void;
  /**
   * A resource changed, or may have: the server says so, or a stream on which it would have said so
   * was interrupted. Called only while something is subscribed to, or about to be
   * ({@linkcode Connection.subscribeResource}), and sometimes twice for one change. `uri` is the
   * server's, who may name a part of what was subscribed to; at most 8,192 UTF-16 units, untrusted.
   */
  readonly onResourceUpdated?: (uri: string) => void;
  /**
   * Every notification that no request waits for, also those that another hook is told of and those
   * of extensions, for a host that hands them on. At most `limits.maxNotificationsPerSecond` of a
   * flood come.
   */
  readonly onNotification?: (notification: ServerNotification) => void;
  /** The connection is gone for good. Called once, after every pending request was rejected. */
  readonly onDown: (error: HostsideError) => void;
  /**
   * The attempt has failed, and what there is of it is still being cleaned up: `connect` will
   * reject when that is done. At most once, and optional, for a status that tells what is so.
   */
  readonly onFailed?: (error: HostsideError) => void;
  /**
   * Something odd that harmed nothing: lines on stdout that are no messages, an answer to no
   * request.
   */
  readonly onDiagnostic?: (diagnostic: Diagnostic) => void;
  readonly onLog?: (log: ServerLog) => void;
  /**
   * The attempt waits for its turn, because as many servers start as there is room for. Until
   * `onStart`, no time counts.
   */
  readonly onQueued?: () => void;
  /** Its turn has come: `timeouts.connectMs` runs from now on. Called after `onQueued` alone. */
  readonly onStart?: () => void;
  /**
   * Whether a user waits who may be shown an authorization page right now. Asked whenever
   * credentials are refused; unless it says so, no page is shown and no client registered, and the
   * refusal is reported as `auth_required`. Absent: never.
   */
  readonly isInteractive?: () => boolean;
  /**
   * For whom the connection is: whose credentials it gets, where the connector has different ones.
   * Not sent to the server. Absent: nobody in particular.
   */
  readonly principal?: string;
  /**
   * Returns `_meta` for the requests with which the connection begins: `initialize`,
   * `server/discover` and the request for a stream of changes; asked with each. The protocol's own
   * members win. A connector may leave it unread. Absent: nothing does.
   */
  readonly requestMeta?: () => JsonObject | undefined;
  /**
   * The server as it is known. If this is enough to use the server, as over HTTP in 2026-07-28,
   * which has no handshake, the connector may connect without contacting it
   * ({@linkcode Connection.isAssumed}). If it is not enough, or absent, the connector connects as
   * usual. A connector may ignore it.
   */
  readonly known?: KnownServer;
  /** Answers elicitations. Absent: elicitation is not advertised. */
  readonly onElicit?: (request: ElicitationRequest, signal: AbortSignal) => Promise<ElicitationResult>;
}

/** A live session with one server. Made by a {@linkcode Connector}. */
export interface Connection {
  readonly server: ServerInfo;
  /**
   * `true` from a connection that was made of what was known (`ConnectionHooks.known`) until its
   * server has answered as the one that it was known to be. If the server turns out to be another
   * one meanwhile, the request that found out fails with `unsupported_protocol`, and the connection
   * is lost. The outcome is `failed` if the server provably refused the request before running it.
   * In that case the provider connects anew and sends a call once more. Absent: the server has
   * answered.
   */
  readonly isAssumed?: boolean;
  /**
   * The protocol's own id of the session, where there is one. It lets anybody speak in the session:
   * a secret, for no text.
   */
  readonly sessionId?: string | undefined;
  /**
   * Lists all tools, page by page. Not called when the server does not declare the `tools`
   * capability (the listing is empty). A later page that fails by itself ends the listing there.
   * Throws `list_timeout` for the first page, `aborted`, `closed`, or what ended the connection,
   * and as all methods here a `TypeError` for options that are unknown or of a wrong type.
   */
  listTools(options?: ListToolsOptions): Promise<ToolListing>;
  /**
   * Calls a tool once; it is never sent twice. Resolves with the raw result, also when the tool
   * failed (`isError`). Throws `call_timeout`, `aborted`, `server_error`, `closed`, or what ended
   * the connection, with an honest `outcome`: the provider sends the call again after
   * `session_expired` with `failed`, and after `not-sent` when the connection is lost. So `failed`
   * there is for a proof alone, such as HTTP 404 to a request that named its session, and never for
   * what a server's texts say. After `session_expired` and `unsupported_protocol` the connection is
   * taken for lost. On abort or timeout the server is told and nothing stays pending.
   */
  callTool(toolName: string, args: JsonObject, options?: CallOptions): Promise<JsonObject>;
  /**
   * Sends any request and resolves with its result, unparsed; but one that came of a human's
   * answers, or of asking again later, says that it may not be kept (`ttlMs: 0`), as 2026-07-28 has
   * it. Throws as {@linkcode callTool}, with `request_timeout`, and a `TypeError` for a `method`
   * that is no text, or `params` that are no JSON object.
   */
  request(method: string, params?: JsonObject, options?: RequestOptions): Promise<JsonValue>;
  /**
   * Sends a notification. Resolves when it is handed to the transport. Throws `request_timeout`
   * when that takes longer than `timeouts.requestMs`, `closed`, or what ended the connection.
   */
  notify(method: string, params?: JsonObject): Promise<void>;
  /**
   * Has `onResourceUpdated` called when this resource changes, until the subscription or the
   * connection ends. The same URI may be subscribed to several times; the server is asked once, and
   * told when the last of them ends. Resolves when the server agreed. Throws a `TypeError` for an
   * empty URI, `invalid_arguments` for one of more than 8,192 UTF-16 units, `unsupported_operation`
   * when the server offers no subscriptions or none for this resource, `overloaded` beyond
   * `limits.maxResourceSubscriptions`, and as {@linkcode request}.
   */
  subscribeResource(uri: string, options?: RequestOptions): Promise<Subscription>;
  /**
   * Ends the session: in-flight requests are cancelled on the wire and reject with `closed`, a
   * child process and its descendants are gone, a session is deleted. Idempotent; never rejects;
   * settles within a few `timeouts.closeMs`. `reason` is for those errors, and the server hears it
   * of each request that is cancelled.
   */
  close(reason?: string): Promise<void>;
}

/** Makes connections. The provider is handed one and never chooses a transport itself. */
export interface Connector {
  /**
   * Checks what only this connector knows about a spec (headers, URLs, which kinds it can open),
   * before anything starts. Throws `invalid_spec`, `unsupported_transport`, or `not_allowed` where
   * the host's guard refuses it.
   */
  check?(spec: ServerSpec): void;
  /**
   * Whether requests to this server carry headers of their own, by which answers may differ from
   * caller to caller. Absent: they do not.
   */
  perCaller?(spec: ServerSpec): boolean;
  /**
   * One attempt, handshake included, bounded by `timeouts.connectMs`; one that has to wait for its
   * turn first says so by `onQueued`. When it rejects or is aborted, nothing of it is left: no
   * process, socket or timer. Throws `spawn_failed`, `server_exited`, `connect_timeout`,
   * `handshake_failed`, `auth_required` and their like, each naming the server and quoting its
   * stderr.
   */
  connect(spec: ServerSpec, hooks: ConnectionHooks, signal: AbortSignal): Promise<Connection>;
  /**
   * Forgets what it holds to be let in by this server: tokens, client registrations, what an
   * authorization left half done; in memory and in whatever stores it was given. Credentials that
   * stand in the spec are not its to forget. Resolves when nothing of them is used any more; starts
   * nothing, asks nobody, and is no error where there is nothing to forget. `principal`: only what
   * it holds for them. Absent: it holds nothing.
   */
  clearCredentials?(spec: ServerSpec, options?: { readonly principal?: string | undefined }): Promise<void>;
}

/** Progress of a call, as the server reports it. */
export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** How one call should run. */
export interface CallOptions {
  /** Aborts the call; the server is told. The call rejects with `aborted`. */
  readonly signal?: AbortSignal | undefined;
  /** Total time for the call, in milliseconds. Default: the server's `timeouts.callMs`. */
  readonly timeoutMs?: number | undefined;
  /**
   * The definition that the caller selected. The call is refused with `tool_changed`,
   * `tool_removed` or `registration_replaced`, before anything is sent, when it is no longer the
   * current one. Default: the name alone decides.
   */
  readonly selected?: ToolDefinition | undefined;
  /**
   * The reaction of a toolbox when no tool has this name while some servers have not listed theirs,
   * or show a saved list: `"servers"` starts those that were not started and waits until one of
   * them brings the tool, or none is on its way any more; within the time of the call, else
   * `call_timeout`. A server whose tools cannot have this name, by what their names begin with, is
   * not waited for. Default, and always of a provider alone: `unknown_tool` at once.
   */
  readonly wait?: "servers" | undefined;
  /** Sent as `_meta` beside the arguments, never among them. */
  readonly meta?: JsonObject | undefined;
  /** For the host alone: reaches its interceptors, events, handlers and stores, and no server. */
  readonly context?: CallContext | undefined;
  /**
   * A time budget of which this call is a part, such as that of an interceptor's retries. The call
   * takes no longer than is left of it, and stops its clock while a human answers a question of the
   * server. Default: the call's own time alone.
   */
  readonly deadline?: SharedDeadline | undefined;
  /** Called for each progress report of the server. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Hears what becomes of the call below. Default: nobody does, and nothing is measured. */
  readonly observer?: CallObserver | undefined;
}
