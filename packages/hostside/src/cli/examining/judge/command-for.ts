import { shellLine } from "../../render/shell-word.ts";

/** A command line of hostside about a server, as a shell takes it. */
export function commandFor(command: string, serverId: string): string {
  return shellLine(["hostside", command, serverId]);
}
