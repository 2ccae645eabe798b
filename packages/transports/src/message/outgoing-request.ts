import type { CallContext, CallObserver, JsonObject, Progress } from "@hostside/core";

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
