import { resolve } from "node:path";
import { cleanText, type ToolDefinition, type ToolOutcome } from "@hostside/core";
import { present } from "@hostside/results";
import type { CommandContext } from "../command-context.ts";
import { exitCodes } from "../exit-codes.ts";
import { terminalLine } from "../render/one-line.ts";
import { renderJson } from "../render/render-json.ts";
import { reportOutcome, type OutcomeReport } from "./report-outcome.ts";
import { saveFile } from "./save-file.ts";
import { printJson } from "../render/print.ts";

/** A result, and what is known of the call. */
export interface OutcomeToShow {
  readonly outcome: ToolOutcome;
  readonly definition: ToolDefinition;
  readonly ms: number;
  /** Folder for files; default `hostside-output` in the working folder. */
  readonly output?: string | undefined;
}

/**
 * Shows a result: texts and structured content on stdout, cleaned where that is a terminal and as
 * they are where it is not, each with a line feed at its end; bytes in files, whose paths are on
 * stderr. With `--json` the whole result is one document, and files are saved only where a folder
 * is named. Returns what the command exits with.
 */
export async function showOutcome(shown: OutcomeToShow, context: CommandContext): Promise<number> {
  const { outcome, definition, ms, output } = shown;
  const { terminal, options } = context;
  const report = reportOutcome(outcome);
  const target = { folder: resolve(terminal.cwd, output ?? "hostside-output"), name: definition.name };
  const isSaving = options.json !== true || output !== undefined;
  const paths: string[] = [];
  for (const part of isSaving ? report.parts : []) {
    if (part.kind === "file") paths.push(await saveFile(part, target));
  }
  if (options.json === true) {
    const { output: result, is_error } = present(outcome, "envelope");
    const { serverId, toolName } = outcome.origin;
    const tool = { name: definition.name, server: serverId, tool: toolName };
    printJson(terminal, { tool, ms, isError: is_error === true, outcome: result, files: paths });
  } else writeReport(report, context, paths);
  return report.isError ? exitCodes.fail : exitCodes.pass;
}

function writeReport({ parts, isError }: OutcomeReport, { terminal }: CommandContext, paths: readonly string[]): void {
  const isTerminal = terminal.stdout.isTTY;
  const texts = parts.flatMap((part) => {
    if (part.kind === "text") return [isTerminal ? cleanText(part.text) : part.text];
    if (part.kind !== "data") return [];
    return [isTerminal ? renderJson(part.value, terminal).join("\n") : JSON.stringify(part.value, undefined, 2)];
  });
  const text = texts.join("\n");
  const shown = text === "" || text.endsWith("\n") ? text : `${text}\n`;
  // What reads a pipe gets every character.
  if (isTerminal) terminal.out(shown);
  else (terminal.outWhole ?? terminal.out)(shown);
  for (const part of parts) {
    if (part.kind === "notice") terminal.err(`${terminal.paintErr("dim", terminalLine(part.text, 2000))}\n`);
  }
  for (const path of paths) terminal.err(`saved ${path}\n`);
  if (isError) terminal.err(`${terminal.paintErr("bad", "error:")} the tool says that it failed\n`);
}
