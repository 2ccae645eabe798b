import {
  HostsideError,
  type CallOptions,
  type JsonObject,
  type ToolDefinition,
  type ToolGroup,
  type ToolOutcome,
  type ToolProvider,
  type ToolsChange,
} from "@hostside/core";
import { createEvent, readCallArguments } from "@hostside/core/implement";
import type { StaticTool } from "../src/index.ts";

/** A provider that a test holds in its hand. */
export interface FakeProvider extends ToolProvider {
  /** Replaces what it offers and tells its listeners. */
  offer(definitions: readonly ToolDefinition[], groups?: readonly ToolGroup[]): void;
  /** Every call that arrived. */
  readonly calls: readonly { readonly name: string; readonly args: JsonObject; readonly options: CallOptions }[];
  /** What the next calls do; default: answer with the tool's name. */
  answer: (name: string) => Promise<ToolOutcome>;
  /** How many listeners there are now. */
  readonly listeners: number;
  /** What was done to it, in order. */
  readonly log: readonly string[];
}

/** Makes one that offers nothing yet. */
export function fakeProvider(name: string): FakeProvider {
  const changes = createEvent<ToolsChange>();
  const calls: { readonly name: string; readonly args: JsonObject; readonly options: CallOptions }[] = [];
  const log: string[] = [];
  let definitions: readonly ToolDefinition[] = [];
  let groups: readonly ToolGroup[] = [];
  let revision = 0;
  let listeners = 0;
  let closed = false;
  const find = (wanted: string): ToolDefinition | undefined =>
    definitions.find((definition) => definition.name.toLowerCase() === wanted.toLowerCase());
  const provider: FakeProvider = {
    name,
    calls,
    log,
    get revision() {
      return revision;
    },
    get closed() {
      return closed;
    },
    get listeners() {
      return listeners;
    },
    offer(next, nextGroups = []) {
      definitions = next.toSorted((a, b) => (a.name < b.name ? -1 : 1));
      groups = nextGroups;
      revision += 1;
      changes.emit({ added: [], removed: [], changed: [] });
    },
    tools: (names) => names?.flatMap((wanted) => find(wanted) ?? []) ?? definitions,
    groups: () => groups,
    has: (wanted) => find(wanted) !== undefined,
    init: () => Promise.resolve(void log.push("init")),
    refresh: () => Promise.resolve(void log.push("refresh")),
    answer: (tool) => Promise.resolve(outcomeOf(tool, name)),
    async call(tool, args, options = {}) {
      calls.push({
        name: tool,
        args: readCallArguments(args, { serverId: name, toolName: tool, qualifiedName: tool }),
        options,
      });
      return await provider.answer(tool);
    },
    onToolsChanged(listener) {
      listeners += 1;
      const end = changes.on(listener);
      const once = (): void => {
        end();
        listeners -= 1;
      };
      return Object.assign(once, { [Symbol.dispose]: once });
    },
    close() {
      closed = true;
      provider.offer([]);
      return Promise.resolve();
    },
  };
  return provider;
}

/** An outcome that says which tool of which server it came from. */
export function outcomeOf(toolName: string, serverId: string): ToolOutcome {
  const content = [{ type: "text" as const, text: `${serverId}/${toolName}` }];
  return {
    content,
    isError: false,
    origin: { serverId, toolName, qualifiedName: `mcp::${serverId}::${toolName}` },
    raw: { content },
  };
}

/** A definition with a schema of one text parameter. */
export function toolOf(name: string, more: Partial<ToolDefinition> = {}): ToolDefinition {
  const inputSchema = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
  return { name, description: `Does ${name}.`, inputSchema, ...more };
}

/** A tool of the product. */
export function staticTool(name: string, more: Partial<StaticTool> = {}): StaticTool {
  return { definition: toolOf(name), run: () => `static/${name}`, ...more };
}

/** A definition as a server's tool has it. */
export function serverTool(
  serverId: string,
  toolName: string,
  description: string = `Does ${toolName}.`,
): ToolDefinition {
  const origin = { serverId, toolName, qualifiedName: `mcp::${serverId}::${toolName}` };
  return toolOf(`mcp_${serverId}_${toolName}`, { description, origin, groupIds: [`mcp:${serverId}`] });
}

/** A group as a provider declares it. */
export function groupOf(id: string, members: readonly string[], more: Partial<ToolGroup> = {}): ToolGroup {
  return { id, title: `Title of ${id}`, description: `Tools of ${id}.`, members, ...more };
}

/** An error of a call that provably never left, or may have run. */
export function outage(outcome: "not-sent" | "unknown"): HostsideError {
  return new HostsideError("server is gone", {
    code: outcome === "not-sent" ? "unreachable" : "connection_closed",
    outcome,
  });
}
