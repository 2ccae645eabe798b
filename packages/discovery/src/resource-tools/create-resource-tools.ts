import {
  HostsideError,
  type ToolDefinition,
  type ToolGroup,
  type ToolOrigin,
  type ToolOutcome,
  type ToolProvider,
  type ToolsChange,
} from "@hostside/core";
import {
  assertCallOptions,
  assertInitOptions,
  assertNames,
  assertRefreshOptions,
  compareText,
  createEvent,
  foldCase,
  kindOf,
  readCallArguments,
  sameDefinition,
  unknownToolError,
  withoutApproval,
} from "@hostside/core/implement";
import type { ResourceSource } from "./resource-source.ts";
import { createDefaultTools } from "./default-tools.ts";
import { createEvvaTools } from "./evva-tools.ts";
import { createNexoTools } from "./nexo-tools.ts";
import {
  offeringServers,
  readToolOptions,
  type ResourceTool,
  type ResourceToolsOptions,
  type ToolParts,
} from "./resource-tool.ts";

/**
 * The tools by which a model lists and reads resources, as they are now, for
 * `createToolbox({ tools })`; of nexo's, those of the servers that have resources at this moment.
 * {@linkcode createResourceTools} follows the servers. `undefined` in place of resources makes
 * evva's tools answer that nothing is configured. Throws a `TypeError` that names an option that
 * cannot be used.
 */
export function resourceTools(
  resources: ResourceSource | undefined,
  options: ResourceToolsOptions = {},
): readonly ResourceTool[] {
  const settings = readToolOptions("resourceTools()", options);
  if (resources !== undefined) return toolsOf({ resources, settings });
  if (settings.shape === "evva") return createEvvaTools(undefined);
  throw new TypeError('resourceTools() needs resources, unless the shape is "evva"');
}

function toolsOf(parts: ToolParts): readonly ResourceTool[] {
  const { resources, settings } = parts;
  if (settings.shape === "evva") return createEvvaTools(parts);
  if (settings.shape === "default") return createDefaultTools(parts);
  return createNexoTools(
    parts,
    offeringServers(resources).map(({ serverId }) => serverId),
  );
}

interface Offered {
  readonly tools: ReadonlyMap<string, ResourceTool>;
  readonly definitions: readonly ToolDefinition[];
  readonly groups: readonly ToolGroup[];
}

const nothing: Offered = { tools: new Map(), definitions: [], groups: [] };

/**
 * The same tools as a provider for `createToolbox({ providers })`: there are none until a server
 * says that it has resources, and none again when the last such server is removed or disabled;
 * nexo's come and go with their servers, and evva's are always there. A server that is down keeps
 * them. Calls go over
 * `resources`, and so over the connections and layers of its provider. `init()` and `refresh()`
 * start nothing. Closed by `close()`, which leaves the resources open. Throws a `TypeError` that
 * names an option that cannot be used.
 */
export function createResourceTools(resources: ResourceSource, options: ResourceToolsOptions = {}): ToolProvider {
  const settings = readToolOptions("createResourceTools()", options);
  const parts: ToolParts = { resources, settings };
  const source = createEvent<ToolsChange>();
  let offered = nothing;
  let servers = "";
  let revision = 1;
  let closed = false;

  const show = (next: Offered): void => {
    const before = offered;
    offered = next;
    revision += 1;
    const names = (from: Offered, without: Offered): readonly string[] =>
      from.definitions.map(({ name }) => name).filter((name) => !without.tools.has(foldCase(name)));
    source.emit({ added: names(next, before), removed: names(before, next), changed: [] });
  };
  const follow = (): void => {
    const ids = offeringServers(resources).map(({ serverId }) => serverId);
    // Of the other shapes, the tools are the same whichever servers there are.
    const now = JSON.stringify(settings.shape === "nexo" ? ids : ids.slice(0, 1).map(() => true));
    if (now === servers) return;
    servers = now;
    const isNone = ids.length === 0 && settings.shape !== "evva";
    if (isNone && offered === nothing) return;
    show(isNone ? nothing : offer(toolsOf(parts), "resources"));
  };
  const assertOpen = (): void => {
    if (closed) throw new HostsideError("the tools for resources are closed", { code: "closed" });
  };
  const unfollow = resources.onServersChanged(follow);
  follow();

  return {
    name: "resources",
    get revision() {
      return revision;
    },
    get closed() {
      return closed;
    },
    tools(names) {
      if (names === undefined) return offered.definitions;
      assertNames("tools(): names", names);
      return names.flatMap((name) => offered.tools.get(foldCase(name))?.definition ?? []);
    },
    groups: () => offered.groups,
    has: (name) => offered.tools.has(foldCase(name)),
    async init(initOptions = {}) {
      assertInitOptions(initOptions);
      assertOpen();
    },
    async refresh(refreshOptions = {}) {
      assertRefreshOptions(refreshOptions);
      assertOpen();
    },
    async call(name, args, callOptions = {}) {
      assertOpen();
      if (typeof name !== "string") throw new TypeError(`the name of a tool must be a string, not ${kindOf(name)}`);
      assertCallOptions(callOptions);
      const tool = offered.tools.get(foldCase(name));
      if (tool === undefined) throw unknownToolError(name, offered.definitions);
      const { definition } = tool;
      const { selected, context, ...rest } = callOptions;
      if (selected !== undefined && !sameDefinition(selected, definition)) throw changedError(definition.name);
      const given = readCallArguments(args, originOf(definition.name));
      const known = withoutApproval(context);
      return toOutcome(await tool.run(given, { ...rest, ...(known && { context: known }) }), definition.name);
    },
    onToolsChanged: source.on,
    async close() {
      if (closed) return;
      closed = true;
      unfollow();
      show(nothing);
      source.close();
    },
  };
}

function offer(tools: readonly ResourceTool[], name: string): Offered {
  const byName = new Map<string, ResourceTool>();
  for (const tool of tools) {
    const key = foldCase(tool.definition.name);
    // The first stays: two ids can have one name only where the product names the tools.
    if (!byName.has(key)) byName.set(key, tool);
  }
  const grouped = Array.from(byName, ([key, tool]): [string, ResourceTool] => [
    key,
    { ...tool, definition: Object.freeze({ ...tool.definition, groupIds: [name] }) },
  ]);
  const definitions = grouped.map(([, { definition }]) => definition).sort((a, b) => compareText(a.name, b.name));
  const group: ToolGroup = {
    id: name,
    title: "Resources",
    description: "What MCP servers have to read besides their tools",
    members: definitions.map((definition) => definition.name),
  };
  return {
    tools: new Map(grouped),
    definitions: Object.freeze(definitions),
    groups: Object.freeze([Object.freeze(group)]),
  };
}

function originOf(toolName: string): ToolOrigin {
  return { serverId: "", toolName, qualifiedName: `local::${toolName}` };
}

function toOutcome(
  { content, isError = false, origin }: Awaited<ReturnType<ResourceTool["run"]>>,
  toolName: string,
): ToolOutcome {
  return { content, isError, origin: origin ?? originOf(toolName), raw: { content, isError } };
}

function changedError(toolName: string): HostsideError {
  return new HostsideError(`the tool ${toolName} is not the one that was selected; select it again`, {
    code: "tool_changed",
    toolName,
  });
}
