import type { ConfigProblem } from "@hostside/config";
import { formatProblem, type LoadedConfig } from "@hostside/config/node";
import type { CommandContext } from "../command-context.ts";
import { terminalLine } from "../render/render-text.ts";

const mostShown = 10;

/** Lines about problems of the configuration: the first ones, and with `--verbose` all. */
export function problemLines(
  problems: readonly ConfigProblem[],
  { terminal: { paintErr }, options: { verbose = false } }: CommandContext,
): readonly string[] {
  const shown = problems.slice(0, verbose ? undefined : mostShown);
  const lines = shown.map((problem) => {
    const style = problem.severity === "error" ? "bad" : "warn";
    return `${paintErr(style, `${problem.severity}:`)} ${terminalLine(formatProblem(problem), 2000)}`;
  });
  const left = problems.length - shown.length;
  return left === 0 ? lines : [...lines, `${left} more: hostside doctor`];
}

/**
 * Says on stderr what is wrong with the configuration, once: errors, and with `--verbose`
 * everything. Nothing with `--json`.
 */
export function reportProblems(
  context: CommandContext,
  config: Pick<LoadedConfig, "problems" | "sources">,
  isWanted: (serverId: string) => boolean,
): void {
  const { terminal, options } = context;
  if (options.json === true) return;
  const concerns = ({ severity, serverId }: ConfigProblem): boolean =>
    options.verbose === true || (severity === "error" && (serverId === undefined || isWanted(serverId)));
  const waiting = config.sources.filter(({ serverId, off }) => off === "untrusted" && isWanted(serverId));
  const names = terminalLine(waiting.map(({ serverId }) => serverId).join(", "), 200);
  const what = waiting.length === 1 ? "A server of this project is" : `${waiting.length} servers of this project are`;
  const warning = `${terminal.paintErr("warn", "warning:")} ${what} not trusted, and not started: ${names}. See hostside trust.`;
  const lines = problemLines(config.problems.filter(concerns), context);
  for (const line of waiting.length === 0 ? lines : [...lines, warning]) terminal.err(`${line}\n`);
}
