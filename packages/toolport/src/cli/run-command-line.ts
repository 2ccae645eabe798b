import { CommanderError } from "commander";
import type { CommandContext } from "./command-context.ts";
import { exitCodeOf, exitCodes } from "./exit-codes.ts";
import { createProgram } from "./program/create-program.ts";
import type { Run } from "./program/declare.ts";
import type { ProgramOptions } from "./program/global-options.ts";
import { renderError } from "./program/render-error.ts";
import { withColor, type Terminal } from "./terminal.ts";
import { usageError } from "./usage-error.ts";

export type { Declare, Run } from "./program/declare.ts";

/** Runs a command line and resolves to the exit code. Never rejects; what went wrong is on stderr, and with `--json` on stdout. */
export async function runCommandLine(argv: readonly string[], terminal: Terminal): Promise<number> {
  let exitCode: number = exitCodes.pass;
  const contextOf = (): CommandContext => {
    const { color, ...options } = program.opts<ProgramOptions>();
    return { terminal: withColor(terminal, color), options };
  };
  const run: Run = async (work) => {
    exitCode = await work(contextOf());
  };
  const program = createProgram(terminal, run);
  let command = program;
  program.hook("preSubcommand", (_parent, chosen) => {
    command = chosen;
  });
  try {
    await program.parseAsync(argv, { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return exitCodes.pass;
    const problem = error instanceof CommanderError ? toUsageError(error, command.name()) : error;
    const context = contextOf();
    // Of a line that could not be read to its end, not all options are known.
    const isJson = context.options.json === true || isJsonAsked(argv);
    renderError(problem, { ...context, options: { ...context.options, json: isJson } });
    return exitCodeOf(problem);
  }
}

function isJsonAsked(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  return argv.slice(0, end === -1 ? undefined : end).includes("--json");
}

function toUsageError({ code, message }: CommanderError, command: string): Error {
  if (code === "commander.help") return usageError("no command", "toolport help");
  const [first = "", suggestion] = message.replace(/^error: /, "").split("\n");
  const page = command === "toolport" ? "toolport --help" : `toolport help ${command}`;
  return usageError(first, suggestion?.replace(/^\((.*)\)$/, "$1") ?? `see ${page}`);
}
