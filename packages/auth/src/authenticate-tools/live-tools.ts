import { cleanText, type Event, type ToolDefinition, type ToolGroup, type ToolsChange } from "@hostside/core";
import { compareText, createEvent, foldCase, sameDefinition, quoteText } from "@hostside/core/implement";
import {
  readNamesOptions,
  type AuthenticateSettings,
  type SignInStatus,
  type AuthenticateNamesOptions,
} from "./authenticate-options.ts";

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

/** A server that can be signed in to, in the host's own words. */
export interface SignInServer {
  readonly serverId: string;
  /** Its title, or its id. */
  readonly title: string;
}

/**
 * The tool by which a model asks for one server to be signed in to. Nothing in it is the server's.
 */
function defineAuthenticateTool({ serverId, title }: SignInServer, name: string, groupId: string): ToolDefinition {
  const shown = quoteTitle(title);
  const which = title === serverId ? "" : ` (${quoteText(serverId)})`;
  const description = [
    `Signs the user in to the MCP server ${shown}${which}, whose tools are not available before.`,
    "Call it when the task needs that server. It takes no arguments.",
    "The user is shown a page, or the answer has the URL of one to show them; once they have signed in, the server's tools are available.",
  ].join(" ");
  return Object.freeze({
    name,
    title: `Sign in to ${cleanTitle(title)}`,
    description,
    inputSchema: { type: "object", properties: {}, additionalProperties: false },
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
    effect: "external",
    effectSource: "host",
    groupIds: [groupId],
  });
}

/** A title as one bounded line. */
function cleanTitle(title: string): string {
  return cleanText(title, 100).replaceAll(/\s+/g, " ");
}

/** The same in quotation marks. */
export function quoteTitle(title: string): string {
  return JSON.stringify(cleanTitle(title));
}

/** Gives tools their names, and each server the same one as long as it is there. */
export interface AuthenticateToolNames {
  /**
   * The names of the tools of these servers, all that there are. `isTaken`: somebody else's tool
   * has this name now.
   */
  give(serverIds: readonly string[], isTaken?: (name: string) => boolean): ReadonlyMap<string, string>;
}

const longestName = 64;

/**
 * The names that the tools of `createAuthenticateTools` will have for these servers. For
 * `createProvider({ reservedNames })`, so that a server's own tool that would be called so gets
 * another name; without it, the tool of this package does. Throws a `TypeError` for an option that
 * cannot be used.
 */
export function authenticateToolNames(
  serverIds: readonly string[],
  options: AuthenticateNamesOptions = {},
): readonly string[] {
  const owner = "authenticateToolNames()";
  if (!(Array.isArray(serverIds) && serverIds.every((id) => typeof id === "string"))) {
    throw new TypeError(`${owner} takes the ids of servers as an array of texts`);
  }
  return [...createToolNames(readNamesOptions(owner, options)).give(serverIds).values()].sort();
}

/** Makes names by a convention: legal for every model API, and one for each server. */
function createToolNames(nameOf: (serverId: string) => string): AuthenticateToolNames {
  let given = new Map<string, string>();
  return {
    give(serverIds, isTaken = () => false) {
      const preferred = new Map(serverIds.map((id) => [id, legalName(nameOf(id), id)]));
      const kept = new Map([...given].filter(([id, name]) => preferred.has(id) && !isTaken(name)));
      const used = new Set([...kept.values()].map(foldCase));
      const isFree = (name: string): boolean => !used.has(foldCase(name)) && !isTaken(name);
      const counts = new Map<string, number>();
      for (const [id, name] of preferred) {
        if (!kept.has(id)) counts.set(foldCase(name), (counts.get(foldCase(name)) ?? 0) + 1);
      }
      for (const [id, requested] of preferred) {
        if (kept.has(id)) continue;
        // All that collide get a hash, whichever comes first.
        let name = isFree(requested) && counts.get(foldCase(requested)) === 1 ? requested : putHash(requested, id);
        for (let round = 1; !isFree(name); round += 1) name = putHash(requested, `${id}\0${round}`);
        used.add(foldCase(name));
        kept.set(id, name);
      }
      given = kept;
      return given;
    },
  };
}

function legalName(name: string, serverId: string): string {
  const legal = name.replaceAll(/[^A-Za-z0-9_-]/gu, "_");
  return legal.length <= longestName ? legal : putHash(legal, serverId);
}

function putHash(name: string, key: string): string {
  const suffix = `_${hash(key)}`;
  return `${name.slice(0, longestName - suffix.length).replace(/_+$/, "")}${suffix}`;
}

// FNV-1a, 32 bits: ids are the host's, and two that are the same cost one more round.
function hash(text: string): string {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return (value >>> 0).toString(16).padStart(8, "0");
}
