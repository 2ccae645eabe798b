import { ToolportError, type Connection, type ServerInfo } from "@toolport/core";
import type { ServerSettings } from "../resolve-settings.ts";
import type { Wire } from "../wire/wire.ts";
import { callTool } from "./call-tool.ts";
import type { Elicitor } from "./elicitor.ts";
import { listTools } from "./list-tools.ts";

/** What a {@linkcode Connection} is made from. */
export interface ConnectionInit {
  readonly serverId: string;
  readonly server: ServerInfo;
  readonly settings: ServerSettings;
  readonly wire: Wire;
  readonly elicitor: Elicitor | undefined;
}

/** The contract of core over a wire whose handshake is done. */
export function createConnection({ serverId, server, settings, wire, elicitor }: ConnectionInit): Connection {
  const { timeouts, limits } = settings;
  const listing = { serverId, server, wire, limits, timeoutMs: timeouts.listMs };
  const calling = {
    serverId,
    wire,
    timeouts,
    isModern: server.era === "modern",
    elicitor,
    headersFor: () => undefined,
  };
  return {
    server,
    listTools: (options = {}) => listTools(listing, options),
    callTool: (toolName, args, options = {}) => callTool(calling, { toolName, args, options }),
    request: (method, params = {}, { signal, timeoutMs = timeouts.requestMs } = {}) =>
      wire.request({ method, params, timeoutMs, timeoutCode: "request_timeout", signal }),
    notify: (method, params) => wire.notify(method, params),
    close: (reason = "closed by the host") => wire.close(closedError(serverId), reason),
  };
}

function closedError(serverId: string): ToolportError {
  const message = `the connection to ${JSON.stringify(serverId)} was closed`;
  return new ToolportError(message, { code: "closed", serverId, outcome: "unknown" });
}
