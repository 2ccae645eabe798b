import type { CommandContext } from "../command-context.ts";
import { exitCodes } from "../exit-codes.ts";
import { terminalLine } from "../render/render-text.ts";
import { printJson, shortPath } from "../render/print.ts";

/** A change of a server in a file. */
export interface ConfiguredServerChange {
  readonly file: string;
  readonly name: string;
  readonly change: "added" | "replaced" | "removed" | "enabled" | "disabled" | "unchanged";
}

/** The report of a command that edits configuration: the shape that `--json` prints. */
export interface ChangeReport {
  readonly changes: readonly ConfiguredServerChange[];
  readonly notes: readonly string[];
}

/** Prints what was done. */
export function reportChanges(report: ChangeReport, { terminal, options }: CommandContext): number {
  if (options.json === true) {
    printJson(terminal, report);
    return exitCodes.pass;
  }
  for (const { file, name, change } of report.changes) {
    const where = terminal.paint("dim", shortPath(file, terminal));
    const link = { added: "to", removed: "from" }[change as string] ?? "in";
    terminal.out(`${terminal.paint("name", terminalLine(name))} ${change} ${link} ${where}\n`);
  }
  for (const note of report.notes) terminal.err(`${terminal.paintErr("warn", "note:")} ${note}\n`);
  return exitCodes.pass;
}
