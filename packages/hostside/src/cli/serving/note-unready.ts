import type { UnreadyGroup } from "@hostside/core";
import { howToTrust } from "./untrusted-servers.ts";
import { shellLine } from "../render/shell-word.ts";

/**
 * What the user of a client can do about a server that is not ready, for its model to pass on;
 * `undefined` where nothing is to be done. Pure.
 */
export function noteUnready({ serverId, state }: Pick<UnreadyGroup, "serverId" | "state">): string | undefined {
  const inTerminal = (...words: readonly string[]): string => `${shellLine(["hostside", ...words])} in a terminal`;
  if (state === "needs-auth")
    return `The user can sign in with its sign-in tool, or by ${inTerminal("login", serverId)}.`;
  if (state === "failed") return `The user can find out why by ${inTerminal("doctor", serverId)}.`;
  return state === "untrusted" ? howToTrust : undefined;
}
