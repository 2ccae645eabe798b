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
  assertInitOptions,
  assertKnownOptions,
  assertNames,
  assertRefreshOptions,
  assertToolName,
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
import { localOrigin } from "../catalog/static-tool.ts";
import type { ResourceSource } from "./resource-source.ts";
import {
  offeringServers,
  type ResourceTool,
  type ResourceToolsOptions,
  type ResourceToolsShape,
  type ToolParts,
} from "./resource-tool.ts";
import { createDefaultTools, createEvvaTools, createNexoTools } from "./shapes.ts";

const fields: Fields<ResourceToolsOptions> = { shape: true, saveBlob: true };
type MakeTools = (parts: ToolParts, serverIds: readonly string[]) => readonly ResourceTool[];
const shapes: Readonly<Record<ResourceToolsShape, MakeTools>> = {
  default: createDefaultTools,
  evva: createEvvaTools,
  nexo: createNexoTools,
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
 * such server is removed or disabled. Nexo's come and go with their servers, and evva's are always
 * there. A server that is down keeps them. Calls go over `resources`, and so over the connections
 * and layers of its provider. `init()` and `refresh()` start nothing. `close()` leaves the
 * resources open. Throws a `TypeError` that names an option that cannot be used.
 */
export function createResourceTools(resources: ResourceSource, options: ResourceToolsOptions = {}): ToolProvider {
  const { shape, saveBlob } = readOptions(options);
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
    const now = JSON.stringify(shape === "nexo" ? ids : ids.slice(0, 1).map(() => true));
    if (now === servers) return;
    servers = now;
    const isNone = ids.length === 0 && shape !== "evva";
    if (isNone && offered === nothing) return;
    show(isNone ? nothing : offer(shapes[shape]({ resources, saveBlob }, ids)));
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
      assertToolName("call()", name);
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

function readOptions(options: ResourceToolsOptions): Pick<ToolParts, "saveBlob"> & { shape: ResourceToolsShape } {
  assertKnownOptions("createResourceTools()", options, fields);
  const { shape = "default", saveBlob } = options;
  if (!Object.hasOwn(shapes, shape)) {
    throw new TypeError(`createResourceTools(): shape must be one of ${Object.keys(shapes).join(", ")}`);
  }
  if (saveBlob !== undefined && typeof saveBlob !== "function") {
    throw new TypeError(`createResourceTools(): saveBlob must be a function, not ${kindOf(saveBlob)}`);
  }
  return { shape, saveBlob };
}

function offer(tools: readonly ResourceTool[]): Offered {
  const byName = new Map<string, ResourceTool>();
  for (const tool of tools) {
    const key = foldCase(tool.definition.name);
    const definition = Object.freeze({ ...tool.definition, groupIds: ["resources"] });
    if (!byName.has(key)) byName.set(key, { ...tool, definition });
  }
  const definitions = Array.from(byName.values(), ({ definition }) => definition);
  definitions.sort((a, b) => compareText(a.name, b.name));
  const group: ToolGroup = {
    id: "resources",
    title: "Resources",
    description: "What MCP servers have to read besides their tools",
    members: definitions.map((definition) => definition.name),
  };
  return {
    tools: byName,
    definitions: Object.freeze(definitions),
    groups: Object.freeze([Object.freeze(group)]),
  };
}
