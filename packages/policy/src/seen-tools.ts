import type { AdmissionServer, ToolDefinition } from "@hostside/core";
import { foldCase } from "@hostside/core/implement";

/** A tool as the policy was last asked about it. */
export interface SeenTool {
  readonly definition: ToolDefinition;
  readonly server: AdmissionServer | undefined;
}

/** The tools that a policy was asked about, those it hides among them. */
export interface SeenTools {
  note(definition: ToolDefinition, server: AdmissionServer | undefined): void;
  /** By local name, in any case; by `"server/tool"`; by qualified name. */
  find(name: string): SeenTool | undefined;
  /** Looks up what was last told of a server. */
  server(serverId: string): AdmissionServer | undefined;
}

// Names come from servers that come and go; what was seen longest ago is forgotten first.
const mostSeen = 60_000;

/** Makes an empty memory of them. */
export function createSeenTools(): SeenTools {
  const byName = new Map<string, SeenTool>();
  const servers = new Map<string, AdmissionServer>();
  return {
    note(definition, server) {
      const seen = { definition, server };
      for (const name of namesOf(definition)) keep(byName, name, seen);
      if (server !== undefined) keep(servers, server.id, server);
    },
    find: (name) => byName.get(name) ?? byName.get(foldCase(name)),
    server: (serverId) => servers.get(serverId),
  };
}

function namesOf({ name, origin }: ToolDefinition): readonly string[] {
  const local = foldCase(name);
  return origin === undefined ? [local] : [local, `${origin.serverId}/${origin.toolName}`, origin.qualifiedName];
}

function keep<T>(kept: Map<string, T>, key: string, value: T): void {
  kept.delete(key);
  kept.set(key, value);
  if (kept.size <= mostSeen) return;
  for (const oldest of kept.keys()) {
    kept.delete(oldest);
    return;
  }
}
