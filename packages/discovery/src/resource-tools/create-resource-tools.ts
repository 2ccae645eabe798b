import {
  HostsideError,
  type CallOptions,
  type ToolDefinition,
  type ToolGroup,
  type ToolOutcome,
  type ToolProvider,
  type ToolsChange,
} from "@hostside/core";
import {
  assertCallOptions,
  assertKnownOptions,
  compareText,
  createEvent,
  foldCase,
  kindOf,
  readCallArguments,
  sameDefinition,
  unknownToolError,
  withoutApproval,
  type Fields,
} from "@hostside/core/implement";
import { changedTool } from "../catalog/changed-tool.ts";
import { localOrigin, resolveToolNames } from "../catalog/static-tool.ts";
import type { ResourceSource } from "./resource-source.ts";
import {
  makeResourceTools,
  offeringServers,
  type ResourceTool,
  type ResourceToolNames,
  type ResourceToolsOptions,
} from "./resource-tool.ts";

const fields: Fields<ResourceToolsOptions> = { names: true, saveBlob: true };
const defaultNames: ResourceToolNames = {
  list: "resources_list",
  templates: "resources_templates",
  read: "resources_read",
};

interface Offered {
  readonly tools: ReadonlyMap<string, ResourceTool>;
  readonly definitions: readonly ToolDefinition[];
  readonly groups: readonly ToolGroup[];
}

const nothing: Offered = { tools: new Map(), definitions: [], groups: [] };

/**
 * Makes a provider for `createToolbox({ providers })` of the tools by which a model lists and reads
 * resources. There are none until a server says that it has resources, and none again when the last
 * such server is removed or disabled. A server that is down keeps them. Calls go over `resources`,
 * and so over the connections and layers of its provider. `init()` and `refresh()` start nothing.
 * `close()` leaves the resources open. Throws a `TypeError` that names an option that cannot be
 * used.
 */
export function createResourceTools(resources: ResourceSource, options: ResourceToolsOptions = {}): ToolProvider {
  assertKnownOptions("createResourceTools()", options, fields);
  const { saveBlob } = options;
  if (saveBlob !== undefined && typeof saveBlob !== "function") {
    throw new TypeError(`createResourceTools(): saveBlob must be a function, not ${kindOf(saveBlob)}`);
  }
  const names = resolveToolNames("names", defaultNames, options.names);
  const all = offer(makeResourceTools({ resources, names, saveBlob }));
  const source = createEvent<ToolsChange>();
  let offered = nothing;
  let revision = 1;
  let closed = false;

  const show = (next: Offered): void => {
    if (next === offered) return;
    offered = next;
    revision += 1;
    const changed = all.definitions.map(({ name }) => name);
    source.emit({ added: next === all ? changed : [], removed: next === all ? [] : changed, changed: [] });
  };
  const follow = (): void => show(offeringServers(resources).length > 0 ? all : nothing);
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
      return names.flatMap((name) => offered.tools.get(foldCase(name))?.definition ?? []);
    },
    groups: () => offered.groups,
    has: (name) => offered.tools.has(foldCase(name)),
    init: async () => assertOpen(),
    refresh: async () => assertOpen(),
    async call(name, args, callOptions = {}) {
      assertOpen();
      assertCallOptions(callOptions);
      const tool = offered.tools.get(foldCase(name));
      if (tool === undefined) throw unknownToolError(name, offered.definitions);
      return await runTool(tool, args, callOptions);
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

async function runTool(tool: ResourceTool, args: unknown, options: CallOptions): Promise<ToolOutcome> {
  const { definition } = tool;
  const { selected, context, ...rest } = options;
  if (selected !== undefined && !sameDefinition(selected, definition)) throw changedTool(definition.name, definition);
  const local = localOrigin(definition.name);
  const known = withoutApproval(context);
  const given = readCallArguments(args, local);
  const {
    content,
    isError = false,
    origin = local,
  } = await tool.run(given, {
    ...rest,
    ...(known && { context: known }),
  });
  return { content, isError, origin, raw: { content, isError } };
}

function offer(tools: readonly ResourceTool[]): Offered {
  const definitions = tools.map(({ definition }) => definition).sort((a, b) => compareText(a.name, b.name));
  const group: ToolGroup = {
    id: "resources",
    title: "Resources",
    description: "What MCP servers have to read besides their tools",
    members: definitions.map(({ name }) => name),
  };
  return {
    tools: new Map(tools.map((tool) => [foldCase(tool.definition.name), tool])),
    definitions: Object.freeze(definitions),
    groups: Object.freeze([Object.freeze(group)]),
  };
}
