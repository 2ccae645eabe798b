import type { Event, ToolDefinition, ToolGroup, ToolsChange } from "@hostside/core";
import { compareText, createEvent, foldCase, sameDefinition } from "@hostside/core/implement";
import type { AuthenticateSettings } from "./authenticate-options.ts";
import { defineAuthenticateTool, type SignInServer } from "./define-tool.ts";
import type { SignInStatus } from "./sign-in-provider.ts";
import { createToolNames } from "./tool-names.ts";

/** The tool of one server. */
export interface AuthenticateTool {
  readonly server: SignInServer;
  readonly definition: ToolDefinition;
}

/** The tools of the servers that need somebody to sign in now. */
export interface LiveTools {
  readonly revision: number;
  /** Sorted by name. */
  readonly definitions: readonly ToolDefinition[];
  readonly groups: readonly ToolGroup[];
  /** ASCII-case-insensitive. */
  find(name: string): AuthenticateTool | undefined;
  isOffered(serverId: string): boolean;
  /** Looks at the servers as they are now. */
  follow(): void;
  readonly onChanged: Event<ToolsChange>;
  /** Shows nothing from now on, and says so once. */
  close(): void;
}

/** By their names, with A to Z lower-cased. */
type Tools = ReadonlyMap<string, AuthenticateTool>;

/** Makes them; there are none before the first `follow()`. */
export function createLiveTools({ name, nameOf, provider }: AuthenticateSettings): LiveTools {
  const source = createEvent<ToolsChange>();
  const toolNames = createToolNames(nameOf);
  let tools: Tools = new Map();
  let definitions: readonly ToolDefinition[] = [];
  let groups: readonly ToolGroup[] = [];
  let revision = 1;
  let closed = false;

  const show = (next: Tools): void => {
    const change = diffTools(tools, next);
    if (change === undefined) return;
    tools = next;
    definitions = Object.freeze(sortedDefinitions(next));
    groups = Object.freeze(groupsOf(name, definitions));
    revision += 1;
    source.emit(change);
  };
  return {
    get revision() {
      return revision;
    },
    get definitions() {
      return definitions;
    },
    get groups() {
      return groups;
    },
    find: (toolName) => tools.get(foldCase(toolName)),
    isOffered: (serverId) => [...tools.values()].some(({ server }) => server.serverId === serverId),
    follow() {
      if (closed) return;
      const statuses = provider.statuses();
      const ids = statuses.map(({ id }) => id);
      const given = toolNames.give(ids, (taken) => provider.has(taken));
      const next = new Map<string, AuthenticateTool>();
      for (const status of statuses) {
        const toolName = given.get(status.id);
        if (toolName === undefined || !needsSignIn(status)) continue;
        const server = { serverId: status.id, title: provider.describeServer?.(status.id)?.title ?? status.id };
        next.set(foldCase(toolName), { server, definition: defineAuthenticateTool(server, toolName, name) });
      }
      show(next);
    },
    onChanged: source.on,
    close() {
      closed = true;
      show(new Map());
      source.close();
    },
  };
}

// While it is tried again, a server says what its latest attempt failed with.
function needsSignIn({ state, auth, error }: SignInStatus): boolean {
  const wasRefused = error?.code === "auth_required" || error?.code === "forbidden";
  return auth === "oauth" && (state === "needs-auth" || (state === "connecting" && wasRefused));
}

function sortedDefinitions(tools: Tools): ToolDefinition[] {
  return Array.from(tools.values(), ({ definition }) => definition).sort((a, b) => compareText(a.name, b.name));
}

function diffTools(before: Tools, after: Tools): ToolsChange | undefined {
  const namesOf = (tools: Tools, which: (key: string, tool: AuthenticateTool) => boolean): readonly string[] =>
    sortedDefinitions(new Map([...tools].filter(([key, tool]) => which(key, tool)))).map(({ name }) => name);
  const added = namesOf(after, (key) => !before.has(key));
  const removed = namesOf(before, (key) => !after.has(key));
  const changed = namesOf(after, (key, { definition }) => {
    const old = before.get(key);
    return old !== undefined && !sameDefinition(old.definition, definition);
  });
  return added.length + removed.length + changed.length === 0 ? undefined : { added, removed, changed };
}

function groupsOf(id: string, definitions: readonly ToolDefinition[]): readonly ToolGroup[] {
  if (definitions.length === 0) return [];
  return [
    {
      id,
      title: "Signing in",
      description: "MCP servers that the user has to sign in to before their tools can be used",
      members: definitions.map(({ name }) => name),
    },
  ];
}
