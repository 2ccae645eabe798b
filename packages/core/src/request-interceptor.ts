import type { AdmissionServer } from "./admission.ts";
import type { RequestOptions } from "./connection.ts";
import type { JsonObject, JsonValue } from "./json.ts";

/** A request of this host that is no tool call, on its way to a server, as an interceptor sees it. */
export interface HostRequest {
  readonly serverId: string;
  /** The server in the host's own words, labels included. */
  readonly server?: AdmissionServer | undefined;
  /** Such as `resources/read`. */
  readonly method: string;
  readonly params: JsonObject | undefined;
  /** A notification has no answer: its `next` resolves with `null`, and what a layer answers is dropped. */
  readonly isNotification: boolean;
  /** As the caller gave them, but for `signal` and `deadline`: see `ToolCall.options`. */
  readonly options: RequestOptions;
}

/** The rest of the way of a request. */
export type RequestHandler = (request: HostRequest) => Promise<JsonValue>;

/**
 * One layer around every request that is no tool call: `resources/read`, `prompts/get`, `completion/complete`, notifications.
 * What holds for an interceptor of calls holds for it: it may change `params` and `options`, answer, refuse by throwing, or look at the
 * answer; it may not send the request elsewhere or as another one, and it is bounded by the time of the request.
 */
export type RequestInterceptor = (request: HostRequest, next: RequestHandler) => Promise<JsonValue>;
