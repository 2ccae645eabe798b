import type { Connection, ServerSpec } from "@hostside/core";
import {
  assertKnownOptions,
  assertSignal,
  kindOf,
  type ConnectionHooks,
  type Fields,
  type Given,
} from "@hostside/core/implement";
import { createConnector } from "./connector.ts";
import { connectorFields, type ConnectorOptions } from "./opening/connector-options.ts";

/** Options of {@linkcode connect}. */
export interface ConnectOptions
  extends ConnectorOptions, Given<Omit<ConnectionHooks, "known" | "onFailed" | "onQueued" | "onStart">> {
  /** Aborts the attempt; nothing of it is left then. */
  readonly signal?: AbortSignal | undefined;
}

const hooks = {
  onToolsChanged: true,
  onResourcesChanged: true,
  onPromptsChanged: true,
  onResourceUpdated: true,
  onNotification: true,
  onDown: true,
  onDiagnostic: true,
  onElicit: true,
  onLog: true,
  isInteractive: true,
  requestMeta: true,
} as const;
const optionFields: Fields<ConnectOptions> = { ...connectorFields, ...hooks, signal: true, principal: true };

/**
 * Connects to one server, for those who want to speak MCP themselves: list, call, send any request.
 * No reconnect, no catalogue. To connect like this counts as a user's act: with `auth: "oauth"` an
 * authorization page may be shown, unless `isInteractive` says that nobody waits. Rejects with a
 * `TypeError` for an option that is unknown or of a wrong type, else as
 * {@linkcode createConnector}'s `connect`.
 *
 * @example
 * const connection = await connect({ id: "files", command: "npx", args: ["-y", "some-server"] });
 * const { tools } = await connection.listTools();
 * await connection.close();
 */
export async function connect(spec: ServerSpec, options: ConnectOptions = {}): Promise<Connection> {
  assertKnownOptions("connect()", options, optionFields);
  assertPrincipal("connect()", options.principal);
  if (options.signal !== undefined) assertSignal(options.signal);
  for (const name of Object.keys(hooks) as (keyof typeof hooks)[]) {
    if (options[name] === undefined || typeof options[name] === "function") continue;
    throw new TypeError(`connect(): ${name} must be a function, not ${kindOf(options[name])}`);
  }
  const { signal = new AbortController().signal, principal } = options;
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  const pick = (fields: object): object => Object.fromEntries(given.filter(([name]) => name in fields));
  return createConnector(pick(connectorFields)).connect(
    spec,
    {
      onToolsChanged: ignore,
      onDown: ignore,
      onDiagnostic: ignore,
      onLog: ignore,
      isInteractive: () => true,
      ...pick(hooks),
      ...(principal !== undefined && { principal }),
    },
    signal,
  );
}

function ignore(): void {
  // The caller did not want to know.
}

/**
 * Refuses a principal that is no text, and an empty one, because everybody would be the same.
 * Throws a `TypeError`.
 */
function assertPrincipal(caller: string, principal: unknown): void {
  if (principal === undefined || (typeof principal === "string" && principal !== "")) return;
  throw new TypeError(`${caller}: principal must be a text that is not empty`);
}
