import type { Diagnostic, ServerSpec } from "@hostside/core";
import { quoteText } from "@hostside/core/implement";

/**
 * What to say when the program of a server had to be killed: of `docker run` or `podman run` that
 * ends the client alone, and the container goes on. `undefined` for other programs.
 */
export function containerLeft(spec: ServerSpec): Diagnostic | undefined {
  if (spec.command === undefined) return undefined;
  const { id, command, args = [] } = spec;
  const program = /(?:^|[\\/])(docker|podman|nerdctl)(?:\.exe)?$/i.exec(command)?.[1]?.toLowerCase();
  if (program === undefined || !args.includes("run")) return undefined;
  const at = args.findIndex((argument) => argument === "--name" || argument.startsWith("--name="));
  const name = at === -1 ? undefined : (args[at]?.split("=")[1] ?? args[at + 1]);
  const which = name === undefined ? "its container, which has no --name," : `its container ${quoteText(name)}`;
  const stop = name === undefined ? `${program} ps shows it` : `${program} stop ${quoteText(name)} ends it`;
  const advice = args.includes("--init") ? "" : "; with --init in its arguments it ends when it is asked to";
  return {
    kind: "container-left",
    serverId: id,
    message: `server ${JSON.stringify(id)} ended neither with its input nor on SIGTERM, and ${program} run was killed: ${which} may still run; ${stop}${advice}`,
  };
}
