import type { ConfigEntry } from "./entry.ts";

/**
 * Warns about a container that stays behind each time its server ends: `docker run` without `--rm`,
 * wherever the program is.
 */
export function warnDockerRm(entry: ConfigEntry, command: string, args: readonly string[]): void {
  const program = command
    .split(/[\\/]/)
    .at(-1)
    ?.replace(/\.exe$/i, "");
  if (program === undefined || !/^(?:docker|podman|nerdctl)$/.test(program) || !args.includes("run")) return;
  if (args.some((argument) => argument === "--rm" || argument.startsWith("--rm="))) return;
  entry.warn("args", {
    code: "missing_rm",
    message: `${program} run without --rm leaves a container behind at each start`,
    fix: 'add "--rm"',
  });
}
