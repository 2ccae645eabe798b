import { HostsideError, type Diagnostic, type ToolDefinition, type ToolEffect } from "@hostside/core";
import {
  assertKnownOptions,
  assertNames,
  foldCase,
  kindOf,
  quoteText,
  type Fields,
  type Given,
} from "@hostside/core/implement";
import type { GatewayClient, GatewayConversation, GatewayEvent, GatewayTelemetry } from "./gateway-client.ts";
import { readGatewayLimits, type GatewayLimits } from "./gateway-limits.ts";

/**
 * How clients see the tools. `"all"`: each under its own name. `"search"`: three tools that find
 * others (`tools_groups`, `tools_select`, `tools_search`) and `tools_read` and `tools_call`, for
 * hosts that never list again; what a client finds is declared to it by `list_changed`, where its
 * era has a list of its own. `"groups"`: the same, and the server's instructions name the groups,
 * so that a model can select one at once.
 */
export type Exposure = "all" | "groups" | "search";

/** Options of `createGateway`. */
export interface GatewayOptions {
  /** The name of the gateway towards clients. */
  readonly name: string;
  readonly version: string;
  /** For people. Default: the name. */
  readonly title?: string | undefined;
  /**
   * For the model of a client, in front of what `expose` says. The host's own words: never a
   * server's. A function is asked for each client, and must not throw. Default none.
   */
  readonly instructions?: string | (() => string | undefined) | undefined;
  readonly expose: Exposure;
  /**
   * Which tools there are for clients: `"all"` that a conversation has, or these, by local name.
   * Nothing is exposed that is not said here. An empty list, and a name that `catalog` does not
   * have, are refused when the gateway is made.
   */
  readonly tools: "all" | readonly string[];
  /**
   * Names the effect of a tool: `tools_read` calls those alone that are `"pure"`. Must not throw.
   * Default: what its definition says, else `"external"`.
   */
  readonly effectOf?: ((tool: ToolDefinition) => ToolEffect) | undefined;
  /**
   * The tools that are there now, to check the names of `tools` by; needed where these are a list.
   * A toolbox is such a one.
   */
  readonly catalog?: { tools(): readonly ToolDefinition[] } | undefined;
  /**
   * Makes the conversation of a client: when it begins a session, or with the first request of a
   * client of 2026-07-28, which has none. Give `client.view` to the view, and nothing of one client
   * to another. The client is refused if the function throws, or takes longer than `limits.openMs`.
   * Should not wait for servers: who is late comes by an event.
   */
  readonly open: (client: GatewayClient) => GatewayConversation | Promise<GatewayConversation>;
  /** Names a prompt. Default: the server's id, `_`, and the prompt's own name. */
  readonly namePrompt?: ((serverId: string, name: string) => string) | undefined;
  readonly limits?: Given<GatewayLimits> | undefined;
  /**
   * Hears of what stops nobody: a conversation that did not close, a URI that two servers have.
   * Must not throw.
   */
  readonly onDiagnostic?: ((diagnostic: Diagnostic) => void) | undefined;
  /** Hears of clients and requests, for logs and metrics. Must not throw. */
  readonly onEvent?: ((event: GatewayEvent) => void) | undefined;
  /**
   * Traces and measures requests and clients: `createServerTelemetry()` of `@hostside/otel`.
   * Default: nobody does.
   */
  readonly telemetry?: GatewayTelemetry | undefined;
}

/** Options with their defaults. */
export interface GatewaySettings {
  readonly info: { readonly name: string; readonly title?: string; readonly version: string };
  readonly instructions: () => string | undefined;
  readonly expose: Exposure;
  /** As they were written; absent: all. */
  readonly only: readonly string[] | undefined;
  readonly effectOf: (tool: ToolDefinition) => ToolEffect;
  readonly open: GatewayOptions["open"];
  readonly namePrompt: (serverId: string, name: string) => string;
  readonly limits: GatewayLimits;
  readonly onDiagnostic: (diagnostic: Diagnostic) => void;
  readonly onEvent: ((event: GatewayEvent) => void) | undefined;
  readonly telemetry: GatewayTelemetry | undefined;
}

const fields: Fields<GatewayOptions> = {
  name: true,
  version: true,
  title: true,
  instructions: true,
  expose: true,
  tools: true,
  catalog: true,
  effectOf: true,
  open: true,
  namePrompt: true,
  limits: true,
  onDiagnostic: true,
  onEvent: true,
  telemetry: true,
};

/**
 * Throws a `TypeError` that names the option that is unknown or of a wrong type, and `unknown_tool`
 * for names of `tools` that `catalog` does not have.
 */
export function readGatewayOptions(options: GatewayOptions): GatewaySettings {
  assertKnownOptions("createGateway()", options, fields);
  const { name, version, title, instructions, expose, open } = options;
  for (const [option, text] of Object.entries({ name, version })) {
    if (typeof text !== "string" || text === "") throw new TypeError(`${option} must be a text that is not empty`);
  }
  const words = typeof instructions === "function" ? undefined : instructions;
  for (const [option, text] of Object.entries({ title, instructions: words })) {
    if (text !== undefined && typeof text !== "string") throw new TypeError(`${option} must be a text`);
  }
  if (!["all", "groups", "search"].includes(expose)) {
    throw new TypeError('expose must be "all", "groups" or "search": nothing is exposed by default');
  }
  for (const option of ["open", "effectOf", "namePrompt", "onDiagnostic", "onEvent"] as const) {
    const value = options[option];
    if (typeof value === "function" || (value === undefined && option !== "open")) continue;
    throw new TypeError(`${option} must be a function, not ${kindOf(value)}`);
  }
  for (const member of ["serve", "sessionStarted"] as const) {
    if (options.telemetry === undefined || typeof options.telemetry?.[member] === "function") continue;
    throw new TypeError(`telemetry must have the functions serve and sessionStarted, not ${kindOf(options.telemetry)}`);
  }
  return {
    info: { name, ...(title !== undefined && { title }), version },
    instructions: typeof instructions === "function" ? instructions : () => instructions,
    expose,
    only: readTools(options),
    effectOf: options.effectOf ?? (({ effect = "external" }) => effect),
    open,
    namePrompt: options.namePrompt ?? ((serverId, prompt) => `${serverId}_${prompt}`),
    limits: readGatewayLimits(options.limits),
    onDiagnostic: options.onDiagnostic ?? (() => {}),
    onEvent: options.onEvent,
    telemetry: options.telemetry,
  };
}

function readTools({ tools, catalog }: GatewayOptions): readonly string[] | undefined {
  if (tools === "all") return undefined;
  if (!Array.isArray(tools)) {
    throw new TypeError('tools must be "all" or the names of tools: nothing is exposed by default');
  }
  const names: readonly string[] = tools;
  assertNames("tools", names);
  if (names.length === 0) throw new TypeError("tools is empty: such a gateway would have nothing to offer");
  if (typeof catalog?.tools !== "function") {
    throw new TypeError("tools are named, and there is no catalog to check the names by");
  }
  const known = new Set(catalog.tools().map(({ name }) => foldCase(name)));
  const unknown = names.filter((name) => !known.has(foldCase(name)));
  if (unknown.length === 0) return [...names];
  const shown = unknown.slice(0, 10).map((name) => quoteText(name, 80));
  const more = unknown.length > shown.length ? ` and ${unknown.length - shown.length} more` : "";
  throw new HostsideError(`the gateway is to expose tools that there are not: ${shown.join(", ")}${more}`, {
    code: "unknown_tool",
    ...(unknown[0] !== undefined && { toolName: unknown[0] }),
  });
}
