import type { LoadedConfig } from "@hostside/config/node";
import type { ToolProvider, ToolsChange, UnreadyGroup } from "@hostside/core";
import { createEvent, unknownToolError } from "@hostside/core/implement";
import { shellLine } from "../render/render-text.ts";

/**
 * Servers of a project that would be offered, had their user decided to trust them. Refused servers
 * are left out.
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

/** How the user has them started. Nothing in it is a project's. */
export const howToTrust: string = `The user can decide by ${shellLine(["hostside", "trust"])} in a terminal in the project's folder; those that are trusted start with the next start of this server.`;

/**
 * The instructions for a model; `undefined` if there are none. Names are a project's words. Pure.
 */
export function untrustedInstructions(count: number): string | undefined {
  if (count === 0) return undefined;
  const what = count === 1 ? "1 server is" : `${count} servers are`;
  return `${what} not started, because this project brings them and the user has not trusted them. ${howToTrust}`;
}

/**
 * A source without tools, by which the discovery tools name them, as far as a name says nothing.
 */
export function untrustedProvider(current: () => readonly string[]): ToolProvider {
  const groupOf = (serverId: string): UnreadyGroup => ({
    id: `mcp:${serverId}`,
    title: JSON.stringify(serverId),
    serverId,
    state: "untrusted",
  });
  return {
    name: "untrusted servers",
    revision: 0,
    tools: () => [],
    groups: () => [],
    unreadyGroups: () =>
      current()
        .filter((id) => /^[\w.-]{1,40}$/.test(id))
        .map(groupOf),
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
