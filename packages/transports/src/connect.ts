import type { Connection, ConnectionHooks, ServerSpec } from "@toolport/core";
import { createConnector, type ConnectorOptions } from "./connector.ts";

/** Options of {@linkcode connect}. */
export interface ConnectOptions extends ConnectorOptions, Partial<Omit<ConnectionHooks, "onElicit">> {
  /** Aborts the attempt; nothing of it is left then. */
  readonly signal?: AbortSignal;
}

/**
 * Connects to one server, for those who want to speak MCP themselves: list, call, send any request. No reconnect, no catalogue.
 * Throws as {@linkcode createConnector}'s `connect`.
 */
export function connect(spec: ServerSpec, options: ConnectOptions = {}): Promise<Connection> {
  const { signal = new AbortController().signal, onToolsChanged = ignore, onDown = ignore, ...rest } = options;
  return createConnector(rest).connect(spec, { ...rest, onToolsChanged, onDown }, signal);
}

function ignore(): void {
  // The caller did not want to know.
}
