import type { LoadedConfig } from "@hostside/config/node";
import { shellLine } from "../render/render-text.ts";

/**
 * Instructions for a model about servers of a project that would be offered, had their user decided
 * to trust them; `undefined` if there are none. Refused servers are left out. Names are a project's
 * words. Pure.
 */
export function untrustedInstructions(
  { sources, questions }: Pick<LoadedConfig, "sources" | "questions">,
  usesServer: (serverId: string, scope: string | undefined) => boolean,
): string | undefined {
  const open = new Set(questions.map(({ serverId }) => serverId));
  const { length } = sources.filter(
    ({ serverId, scope, off }) => off === "untrusted" && open.has(serverId) && usesServer(serverId, scope),
  );
  if (length === 0) return undefined;
  const what = length === 1 ? "1 server is" : `${length} servers are`;
  return `${what} not started, because this project brings them and the user has not trusted them. The user can decide by ${shellLine(["hostside", "trust"])} in a terminal in the project's folder; those that are trusted start with the next start of this server.`;
}
