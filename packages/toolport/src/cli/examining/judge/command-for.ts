import { shellLine } from "../../render/shell-word.ts";

/** A command line of toolport about a server, as a shell takes it. */
export function commandFor(command: string, serverId: string): string {
  return shellLine(["toolport", command, serverId]);
}
