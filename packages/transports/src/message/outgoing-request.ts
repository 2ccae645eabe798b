import type { CallContext, CallObserver, JsonObject, Progress } from "@hostside/core";
import { askForMeta, isPlainObject } from "@hostside/core/implement";

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

/** What a source gives; `undefined` where it gives nothing, throws, or gives what is no object. */
export function carriedMeta(source: MetaSource): JsonObject | undefined {
  const carried: unknown = askForMeta(source);
  return isPlainObject(carried) ? (carried as JsonObject) : undefined;
}
