import type { LoadedConfig } from "@hostside/config/node";
import type { ToolProvider, ToolsChange, UnreadyGroup } from "@hostside/core";
import { createEvent, unknownToolError } from "@hostside/core/implement";
import { terminalLine } from "../render/one-line.ts";
import { shellLine } from "../render/shell-word.ts";

/**
 * Servers of a project that would be offered, had their user decided to trust them. Those that were
 * refused are none.
 */
export function untrustedServers(
  { sources, questions }: Pick<LoadedConfig, "sources" | "questions">,
  usesServer: (serverId: string, scope: string | undefined) => boolean,
): readonly string[] {
  const open = new Set(questions.map(({ serverId }) => serverId));
  return sources.flatMap(({ serverId, scope, off }) =>
    off === "untrusted" && open.has(serverId) && usesServer(serverId, scope) ? [serverId] : [],
  );
}

/** How the user has them started. `folder`: where the project was found. Pure. */
export function howToTrust(folder: string): string {
  return `The user can decide by ${shellLine(["hostside", "trust"])} in a terminal in ${terminalLine(folder, 500)}; those that are trusted start with the next start of this server.`;
}

/** What a model is to know of them; `undefined` where there are none. Pure. */
export function untrustedInstructions(serverIds: readonly string[], folder: string): string | undefined {
  if (serverIds.length === 0) return undefined;
  return `Not started, because this project brings them and the user has not trusted them: ${terminalLine(serverIds.join(", "), 200)}. ${howToTrust(folder)}`;
}

/** A source without tools, by which the discovery tools name them. */
export function untrustedProvider(current: () => readonly string[]): ToolProvider {
  const groupOf = (serverId: string): UnreadyGroup => ({
    id: `mcp:${serverId}`,
    title: serverId,
    serverId,
    state: "untrusted",
  });
  return {
    name: "untrusted servers",
    revision: 0,
    tools: () => [],
    groups: () => [],
    unreadyGroups: () => current().map(groupOf),
    has: () => false,
    init: async () => undefined,
    refresh: async () => undefined,
    async call(name) {
      throw unknownToolError(name, []);
    },
    onToolsChanged: createEvent<ToolsChange>().on,
    close: async () => undefined,
    closed: false,
  };
}
