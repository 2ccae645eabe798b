import { formatProblem, type ConfigProblem } from "@hostside/config";
import type { LoadedConfig } from "@hostside/config/node";
import type { CommandContext } from "../command-context.ts";
import { terminalLine } from "../render/render-text.ts";

const mostShown = 10;

/**
 * Says on stderr what is wrong with the configuration, once: errors, and with `--verbose`
 * everything. Nothing with `--json`.
 */
export function reportProblems(
  { terminal, options }: CommandContext,
  config: Pick<LoadedConfig, "problems" | "sources">,
  isWanted: (serverId: string) => boolean,
): void {
  if (options.json === true) return;
  const { err, paintErr } = terminal;
  const concerns = ({ severity, serverId }: ConfigProblem): boolean =>
    options.verbose === true || (severity === "error" && (serverId === undefined || isWanted(serverId)));
  const problems = config.problems.filter(concerns);
  for (const problem of problems.slice(0, options.verbose === true ? undefined : mostShown)) {
    const style = problem.severity === "error" ? "bad" : "warn";
    err(`${paintErr(style, `${problem.severity}:`)} ${terminalLine(formatProblem(problem), 2000)}\n`);
  }
  if (options.verbose !== true && problems.length > mostShown) {
    err(`${problems.length - mostShown} more: hostside doctor\n`);
  }
  const waiting = config.sources.filter(({ serverId, off }) => off === "untrusted" && isWanted(serverId));
  if (waiting.length === 0) return;
  const names = terminalLine(waiting.map(({ serverId }) => serverId).join(", "), 200);
  const what = waiting.length === 1 ? "A server of this project is" : `${waiting.length} servers of this project are`;
  err(`${paintErr("warn", "warning:")} ${what} not trusted, and not started: ${names}. See hostside trust.\n`);
}
