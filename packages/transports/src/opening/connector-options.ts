import type { ConnectionHooks, Fields } from "@toolport/core/implement";
import type { EraCache } from "../handshake/era-cache.ts";
import type { TaskHandling } from "../message/client-identity.ts";
import type { HttpOptions } from "../http/http-options.ts";

/** How a connector works; the same for all its connections. */
export interface ConnectorOptions extends HttpOptions {
  /** What servers are told of the host. Default: Toolport and its version. */
  readonly clientInfo?: { readonly name: string; readonly version: string } | undefined;
  /** Remembers which era a server speaks. Default: in memory, for the life of the connector. */
  readonly eraCache?: EraCache | undefined;
  /** Answers elicitations when the hooks of a connection do not. Default: elicitation is not advertised. */
  readonly onElicit?: NonNullable<ConnectionHooks["onElicit"]> | undefined;
  /**
   * Lets servers of 2026-07-28 make tasks of calls, by declaring the extension `io.modelcontextprotocol/tasks`, and says what becomes of such a call:
   * `"await"` it goes on until the task has ended, within its own time, asking for its state, and cancels the task when it is given up; `"hand-back"` it
   * resolves with what the server said, of the `resultType` `"task"`, and the host goes on with `tasks/get`, `tasks/update` and `tasks/cancel`
   * by `Connection.request`. Default: not declared, so that no call becomes a task.
   */
  readonly tasks?: TaskHandling | undefined;
  /**
   * How many processes may start at once; the others wait for their turn, in order, and their `timeouts.connectMs` runs from then on. A turn
   * ends when the server writes its first byte to stdout, after 5 s at the latest. Default: two for each processor, at least 4.
   */
  readonly maxConcurrentStarts?: number | undefined;
}

/** What a connector can be told. */
export const connectorFields: Fields<ConnectorOptions> = {
  clientInfo: true,
  eraCache: true,
  onElicit: true,
  tasks: true,
  maxConcurrentStarts: true,
  fetch: true,
  proxy: true,
  ca: true,
  guard: true,
  authProvider: true,
  headersFor: true,
  clock: true,
  random: true,
};
