import { formatProblem, type ConfigProblem } from "@toolport/config";
import type { Terminal } from "../terminal.ts";
import { oneLine } from "../render/one-line.ts";
import { shortPath } from "../render/short-path.ts";

/** Problems of the configuration, one in a line, as compilers write theirs; for stderr. */
export function renderProblems(
  problems: readonly ConfigProblem[],
  terminal: Pick<Terminal, "paintErr" | "cwd" | "home">,
): readonly string[] {
  return problems.map((problem) => {
    const { file, severity } = problem;
    const text = formatProblem({ ...problem, file: file === undefined ? undefined : shortPath(file, terminal) });
    return `${terminal.paintErr(severity === "error" ? "bad" : "warn", `${severity}:`)} ${oneLine(text, 2000)}`;
  });
}
