import { defaultTimeouts, type ServerSpec } from "@hostside/core";
import { basename } from "node:path";

/** How long a program may take that may have to be installed first, in milliseconds. */
export const longestInstallMs = 300_000;

const runners: ReadonlySet<string> = new Set(["npx", "uvx", "bunx", "pnpx"]);
const runnersBySubcommand: ReadonlySet<string> = new Set([
  "npm exec",
  "pnpm dlx",
  "yarn dlx",
  "uv tool",
  "uv run",
  "pipx run",
  "bun x",
  "deno run",
]);

/** Tells if a runner such as `npx` may have to install the program first. */
export function mayInstall(spec: ServerSpec): boolean {
  if (spec.command === undefined) return false;
  const { command, args = [] } = spec;
  const name = basename(command.replaceAll("\\", "/")).replace(/\.(?:cmd|exe|ps1)$/i, "");
  return runners.has(name) || runnersBySubcommand.has(`${name} ${args[0] ?? ""}`);
}

/**
 * The spec with time to come up: as long as the person says, else as long as an install takes,
 * which must not be ended in the middle.
 */
export function withStartTime(spec: ServerSpec, timeoutS: number | undefined): ServerSpec {
  const needed = timeoutS === undefined ? (mayInstall(spec) ? longestInstallMs : 0) : timeoutS * 1000;
  const known = spec.timeouts?.connectMs;
  if (needed <= defaultTimeouts.connectMs || known !== undefined) return spec;
  return { ...spec, timeouts: { ...spec.timeouts, connectMs: needed } };
}
