import type { AdmissionServer, ToolDefinition } from "@hostside/core";
import { foldCase } from "@hostside/core/implement";

/** A tool as the policy was last asked about it. */
export interface SeenTool {
  readonly definition: ToolDefinition;
  readonly server: AdmissionServer | undefined;
}

interface SeenServer {
  server: AdmissionServer | undefined;
  /** By remote name. */
  readonly tools: Map<string, ToolDefinition>;
}

// Servers come and go; what was seen longest ago is forgotten first.
const mostSeen = 60_000;

/** The tools that a policy was asked about, those it hides among them. */
export class SeenTools {
  /** By id; those that were asked about last are the last. */
  readonly #servers = new Map<string, SeenServer>();
  #count = 0;
  #latest: SeenServer | undefined;

  note(definition: ToolDefinition, server: AdmissionServer | undefined): void {
    const { name, origin: { serverId, toolName } = { serverId: "", toolName: name } } = definition;
    const seen = this.#servers.get(serverId) ?? { server, tools: new Map<string, ToolDefinition>() };
    seen.server = server ?? seen.server;
    if (seen !== this.#latest) keepLatest(this.#servers, [serverId, seen], mostSeen);
    this.#latest = seen;
    if (seen.tools.get(toolName) === definition) return;
    this.#count += seen.tools.delete(toolName) ? 0 : 1;
    seen.tools.set(toolName, definition);
    if (this.#count > mostSeen) this.#forgetOldest();
  }

  /**
   * By local name, in any case; by `"server/tool"`; by qualified name. If several tools have the
   * same name, the result is the one that was noted last.
   */
  find(name: string): SeenTool | undefined {
    const all = Array.from(this.#servers.values()).flatMap(({ server, tools }) =>
      Array.from(tools.values(), (definition) => ({ definition, server })),
    );
    const local = foldCase(name);
    return (
      all.findLast(({ definition }) => keyOf(definition) === name) ??
      all.findLast(({ definition }) => definition.origin?.qualifiedName === name) ??
      all.findLast(({ definition }) => foldCase(definition.name) === local)
    );
  }

  /** Looks up what was last told of a server. */
  server(serverId: string): AdmissionServer | undefined {
    return this.#servers.get(serverId)?.server;
  }

  #forgetOldest(): void {
    for (const { tools } of this.#servers.values()) {
      for (const toolName of tools.keys()) {
        tools.delete(toolName);
        this.#count -= 1;
        return;
      }
    }
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
