import { formatProblem } from "@hostside/config";
import type { CommandContext } from "../command-context.ts";
import { formatCount } from "../render/format-amount.ts";
import { terminalLine } from "../render/one-line.ts";
import { shortPath } from "../render/short-path.ts";
import type { Listing } from "./server-report.ts";

const mostShown = 10;

/**
 * What is odd in the configuration and costs no server, for stderr: of errors, and with `--verbose`
 * of all this, whoever opened the host has said so.
 */
export function renderWarnings(
  { problems }: Pick<Listing, "problems">,
  { terminal, options }: CommandContext,
): readonly string[] {
  if (options.verbose === true || options.quiet === true) return [];
  // What is not trusted stands among the servers.
  const warnings = problems.filter(({ severity, code }) => severity === "warning" && code !== "untrusted_server");
  const lines = warnings.slice(0, mostShown).map((problem) => {
    const { file } = problem;
    const text = formatProblem({ ...problem, file: file === undefined ? undefined : shortPath(file, terminal) });
    return `${terminal.paintErr("warn", "warning:")} ${terminalLine(text, 2000)}`;
  });
  const more = warnings.length - lines.length;
  return more === 0 ? lines : [...lines, `${formatCount(more, "more warning")}: hostside list --verbose`];
}
