import type { CallContext } from "./call-context.ts";
import type { CallObserver } from "./call-observer.ts";
import type { SharedDeadline } from "./deadline.ts";
import type { JsonObject } from "./json.ts";
import type { ToolDefinition } from "./tool.ts";

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
