import type { ServerSpec } from "@hostside/core";
import type { ConnectionHooks, Fields } from "@hostside/core/implement";
import type { Fetch } from "../http/exchange/fetch-exchange.ts";
import type { HttpOptions } from "../http/http-options.ts";

/**
 * Starts a program as `spawn` of `node:child_process` does, and returns a `ChildProcess` with three
 * pipes. The types of Node stand in no signature here, so that a consumer without them can read it.
 * `own` is what would have started it: that of Node, on Windows of cross-spawn.
 */
export type SpawnEffect = (
  ...call: [command: string, args: readonly string[], options: never, own: SpawnOwn]
) => unknown;

/** What starts a program without an effect. */
export type SpawnOwn = (command: string, args: readonly string[], options: never) => unknown;

/** What a connector does to the world for one connection, in place of the runtime's own. */
export interface ConnectorEffects {
  /** Does the requests, as `fetch` of the connector's options. Default: that one. */
  readonly fetch?: Fetch | undefined;
  /** Starts processes. Default: what the runtime has. */
  readonly spawn?: SpawnEffect | undefined;
  /**
   * Sends signals to what `spawn` started: a negative number is a group, and the signal 0 asks
   * whether it is there. Default `process.kill`.
   */
  readonly sendSignal?: ((pid: number, signal: string | 0) => void) | undefined;
}

/** How a connector works; the same for all its connections. */
export interface ConnectorOptions extends HttpOptions {
  /** What servers are told of the host. Default: Hostside and its version. */
  readonly clientInfo?: { readonly name: string; readonly version: string } | undefined;
  /**
   * Answers elicitations when the hooks of a connection do not. Default: elicitation is not
   * advertised.
   */
  readonly onElicit?: NonNullable<ConnectionHooks["onElicit"]> | undefined;
  /**
   * Lets servers of 2026-07-28 make tasks of calls, by declaring the extension
   * `io.modelcontextprotocol/tasks`. Such a call goes on until the task has ended, within its own
   * time, asking for its state; the task is cancelled when the call is given up. Default `false`: no
   * call becomes a task.
   */
  readonly tasks?: boolean | undefined;
  /**
   * How many processes may start at once; the others wait for their turn, in order, and their
   * `timeouts.connectMs` runs from then on. A turn ends when the server writes its first byte to
   * stdout, after 5 s at the latest. Default: four for each processor, at least 8.
   */
  readonly maxConcurrentStarts?: number | undefined;
  /**
   * What does HTTP and starts processes for the servers of this connector, asked once for each
   * connection, for recorders, players and simulations. All else is as ever: guard, handshake,
   * limits, deadlines. Not asked about `memory` and `custom`, which are code of the host's own.
   * Default, and where it answers `undefined`: the runtime's own.
   */
  readonly effects?: ((spec: ServerSpec) => ConnectorEffects | undefined) | undefined;
}

/** What a connector can be told. */
export const connectorFields: Fields<ConnectorOptions> = {
  clientInfo: true,
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
  effects: true,
};
