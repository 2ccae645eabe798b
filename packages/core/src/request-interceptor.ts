import type { AdmissionServer } from "./admission.ts";
import type { CallContext } from "./call-context.ts";
import type { RequestOptions } from "./connection.ts";
import type { ToolCall } from "./interceptor.ts";
import type { JsonObject, JsonValue } from "./json.ts";

/**
 * A request of this host that is no tool call, on its way to a server, as an interceptor sees it.
 */
export interface HostRequest {
  readonly serverId: string;
  /** The server in the host's own words, labels included. */
  readonly server?: AdmissionServer | undefined;
  /** Such as `resources/read`. */
  readonly method: string;
  readonly params: JsonObject | undefined;
  /**
   * A notification has no answer: its `next` resolves with `null`, and what a layer answers is
   * dropped.
   */
  readonly isNotification: boolean;
  /** As the caller gave them, but for `signal` and `deadline`: see `ToolCall.options`. */
  readonly options: RequestOptions;
}

/** The rest of the way of a request. */
export type RequestHandler = (request: HostRequest) => Promise<JsonValue>;

/**
 * One layer around every request that is no tool call: `resources/read`, `prompts/get`,
 * `completion/complete`, notifications. What holds for an interceptor of calls holds for it: it may
 * change `params` and `options`, answer, refuse by throwing, or look at the answer; it may not send
 * the request elsewhere or as another one, and it is bounded by the time of the request.
 */
export type RequestInterceptor = (request: HostRequest, next: RequestHandler) => Promise<JsonValue>;

/** A request to a server, as the seam of a provider sees it. */
export interface ServerRequest {
  readonly serverId: string;
  /** Such as `tools/call` or `resources/read`; `initialize` for a connection to be made. */
  readonly method: string;
  /** The call, with `tools/call`. */
  readonly call?: ToolCall | undefined;
  readonly context?: CallContext | undefined;
  /** Aborts when the request is given up. */
  readonly signal?: AbortSignal | undefined;
  /** The first listing of a session. Refusing it costs the session. */
  readonly isStartup?: boolean | undefined;
}

/**
 * Stands around every request of a provider to its servers, once for each try, before anything is
 * started for it. It sends the request with `send()`, with more `_meta` if it likes, or refuses it
 * by throwing. What the caller has in `_meta` by the same name wins.
 */
export type RequestSeam = <Answer>(
  request: ServerRequest,
  send: (meta?: JsonObject) => Promise<Answer>,
) => Promise<Answer>;
