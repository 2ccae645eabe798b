import type { AdmissionServer, ToolDefinition } from "@hostside/core";
import { foldCase } from "@hostside/core/implement";

/** A tool as the policy was last asked about it. */
export interface SeenTool {
  readonly definition: ToolDefinition;
  readonly server: AdmissionServer | undefined;
}

// Servers come and go; what was seen longest ago is forgotten first.
const mostSeen = 60_000;

/** The tools that a policy was asked about, those it hides among them. */
export class SeenTools {
  readonly #tools = new Map<string, SeenTool>();
  readonly #servers = new Map<string, AdmissionServer>();

  note(definition: ToolDefinition, server: AdmissionServer | undefined): void {
    keepLatest(this.#tools, [keyOf(definition), { definition, server }], mostSeen);
    if (server !== undefined) keepLatest(this.#servers, [server.id, server], mostSeen);
  }

  /**
   * By local name, in any case; by `"server/tool"`; by qualified name. Of several with one name,
   * that which was noted last.
   */
  find(name: string): SeenTool | undefined {
    const all = Array.from(this.#tools.values());
    const local = foldCase(name);
    return (
      this.#tools.get(name) ??
      all.findLast(({ definition }) => definition.origin?.qualifiedName === name) ??
      all.findLast(({ definition }) => foldCase(definition.name) === local)
    );
  }

  /** Looks up what was last told of a server. */
  server(serverId: string): AdmissionServer | undefined {
    return this.#servers.get(serverId);
  }
}

function keyOf({ name, origin }: ToolDefinition): string {
  return origin === undefined ? name : `${origin.serverId}/${origin.toolName}`;
}

/**
 * Adds an entry to a map, as its latest; the oldest one gives way where there are too many. Takes
 * no memory in advance, as a cache of a library does.
 */
export function keepLatest<Key, Value>(map: Map<Key, Value>, [key, value]: readonly [Key, Value], most: number): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.size > most ? map.keys() : [];
  if (oldest !== undefined) map.delete(oldest);
}
