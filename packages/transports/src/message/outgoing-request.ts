import {
  type CallContext,
  type CallObserver,
  type CallOutcome,
  HostsideError,
  type HostsideErrorInit,
  isHostsideError,
  type JsonObject,
  type Progress,
} from "@hostside/core";
import { askForMeta, formatMs, isPlainObject, quoteText, type Redactor, safeCause } from "@hostside/core/implement";

/** For what it is needed here: which server. */
interface ErrorContext {
  readonly serverId: string;
}

/** Makes the error of a request; `what` follows its name. */
export function requestError(
  { serverId }: ErrorContext,
  request: OutgoingRequest,
  { what, details, ...init }: Omit<HostsideErrorInit, "serverId"> & { readonly what: string },
): HostsideError {
  const { method, toolName } = request;
  const name = toolName === undefined ? method : `${method} of ${quoteText(toolName)}`;
  const message = `${name} on server ${JSON.stringify(serverId)} ${what}`;
  return new HostsideError(message, { toolName, ...init, serverId, details: { operation: method, ...details } });
}

/** The caller took the request back. */
export function requestAbortedError(
  context: ErrorContext,
  request: OutgoingRequest,
  outcome: CallOutcome,
): HostsideError {
  return requestError(context, request, {
    what: "was aborted",
    code: "aborted",
    outcome,
    cause: request.signal?.reason,
  });
}

/** The time is up, for the whole or for a silence. */
export function requestTimeoutError(context: ErrorContext, request: OutgoingRequest): HostsideError {
  const { timeoutMs, idleMs, timeoutCode } = request;
  const silence = idleMs === undefined ? "" : `, or was silent for ${formatMs(idleMs)}`;
  return requestError(context, request, {
    what: `did not finish within ${formatMs(timeoutMs)}${silence}`,
    code: timeoutCode,
    outcome: "unknown",
    details: { timeoutMs },
  });
}

/**
 * A refusal that says that the server speaks another revision than the one its connection was
 * made for.
 */
export function revisionChangedError(refusal: HostsideError): HostsideError {
  const { rawMessage, serverId, toolName, details } = refusal;
  return new HostsideError(rawMessage, {
    code: "unsupported_protocol",
    serverId,
    toolName,
    outcome: "failed",
    details,
    cause: refusal,
  });
}

/**
 * Gives the error that a transport threw: its own coded error, or one that admits that nothing is
 * known.
 */
export function asHostsideError(
  { serverId, redact }: ErrorContext & { readonly redact: Redactor },
  error: unknown,
): HostsideError {
  if (isHostsideError(error)) return error;
  return new HostsideError(`the transport of server ${JSON.stringify(serverId)} failed to send`, {
    code: "connection_closed",
    serverId,
    outcome: "unknown",
    cause: safeCause(error, redact),
  });
}

/** The members of an error that name the request. */
export function errorContextOf({ method, toolName }: OutgoingRequest): {
  readonly toolName: string | undefined;
  readonly details: { readonly operation: string };
} {
  return { toolName, details: { operation: method } };
}

/** A request and what it goes by. */
export interface OutgoingRequest {
  readonly method: string;
  readonly params: JsonObject;
  /** In milliseconds; the time a human needs to answer an elicitation does not count. */
  readonly timeoutMs: number;
  /** Longest silence in milliseconds; progress starts it anew. */
  readonly idleMs?: number | undefined;
  /** The code of the error when the time is up. */
  readonly timeoutCode: "call_timeout" | "list_timeout" | "request_timeout";
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Headers of this request, on transports that have them. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * `false`: the server is not told when the request is given up. The specification forbids that
   * for `initialize`, and a server that does not know `server/discover` would be told of a request
   * that it never took. Default `true`.
   */
  readonly isCancellable?: boolean | undefined;
  /** The host's own; reaches whoever answers a question of this request's, and no server. */
  readonly callContext?: CallContext | undefined;
  /** Hears of the request when it is over. */
  readonly observer?: CallObserver | undefined;
  /**
   * The answer to it ends a stream, which has no deadline from when the server acknowledges it:
   * with what it will tell of, by its own word.
   */
  readonly onAcknowledged?: ((notifications: unknown) => void) | undefined;
  /** For errors only. */
  readonly toolName?: string | undefined;
}

/** Gives what is to go along in `_meta`: an observer, or whoever made a connection. */
export interface MetaSource {
  readonly meta?: (() => JsonObject | undefined) | undefined;
}

/**
 * Puts what a source gives into the `_meta` of a request that has none; the same params where it
 * gives nothing, throws, or gives what is no object.
 */
export function withCarriedMeta(params: JsonObject, source: MetaSource | undefined): JsonObject {
  const carried = source?.meta === undefined ? undefined : carriedMeta(source);
  return carried === undefined ? params : { ...params, _meta: carried };
}

/**
 * Gets what a source gives; `undefined` where it gives nothing, throws, or gives what is no object.
 */
export function carriedMeta(source: MetaSource): JsonObject | undefined {
  const carried: unknown = askForMeta(source);
  return isPlainObject(carried) ? (carried as JsonObject) : undefined;
}

/** The layer below a connection: a wire, or one whose server is not confirmed yet. */
export interface RequestChannel {
  /** The session that the server opened, if it did. */
  readonly sessionId?: string | undefined;
  /** True if more can be sent. Absent: that is not known. */
  readonly isOpen?: boolean | undefined;
  request(request: OutgoingRequest): Promise<JsonObject>;
  notify(method: string, params: JsonObject | undefined): Promise<void>;
  /**
   * Rejects what waits and what comes, telling the server; then ends the session. Idempotent; never
   * rejects.
   */
  close(error: HostsideError, reason: string): Promise<void>;
}
