import { quote } from "shlex";

/** A command line of toolport about a server, as a shell takes it. */
export function commandFor(command: string, serverId: string): string {
  return `toolport ${command} ${quote(serverId)}`;
}
