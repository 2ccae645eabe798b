import {
  HostsideError,
  type JsonObject,
  type ToolDefinition,
  type ToolOutcome,
  type ToolProvider,
} from "@hostside/core";
import { createToolbox, type Toolbox } from "@hostside/discovery";
import type { ToolSetServer } from "./tool-set.ts";

/**
 * A toolbox over servers of the data set. Each tool answers at once, or says which of its required
 * arguments is missing.
 */
export function createSetToolbox(servers: readonly ToolSetServer[]): Toolbox {
  return createToolbox({ providers: [providerOf(servers)] });
}

function providerOf(servers: readonly ToolSetServer[]): ToolProvider {
  const definitions = servers.flatMap(({ tools }) => tools);
  const byName = new Map(definitions.map((definition) => [definition.name, definition]));
  const end = Object.assign(() => {}, { [Symbol.dispose]: () => {} });
  return {
    name: "mcp",
    revision: 1,
    closed: false,
    tools: (names) => names?.flatMap((name) => byName.get(name) ?? []) ?? definitions,
    groups: () => servers.map(({ group }) => group),
    has: (name) => byName.has(name),
    init: async () => {},
    refresh: async () => {},
    call: async (name, args) => answer(byName.get(name), (args ?? {}) as JsonObject),
    onToolsChanged: () => end,
    close: async () => {},
  };
}

function answer(definition: ToolDefinition | undefined, args: JsonObject): ToolOutcome {
  const { origin } = definition ?? {};
  if (definition === undefined || origin === undefined)
    throw new HostsideError("no such tool", { code: "unknown_tool" });
  const missing = requiredOf(definition).filter((name) => !Object.hasOwn(args, name));
  const text = missing.length === 0 ? "done" : `missing: ${missing.join(", ")}`;
  const content = [{ type: "text" as const, text }];
  return { content, isError: missing.length > 0, origin, raw: { content } };
}

/** Names of the arguments without which a tool is not to be called. */
export function requiredOf({ inputSchema }: Pick<ToolDefinition, "inputSchema">): readonly string[] {
  const { required } = inputSchema;
  return Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
}
