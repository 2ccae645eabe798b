import { Command, CommanderError } from "commander";
import type { CommandContext, GlobalOptions } from "./command-context.ts";
import { declareList } from "./commands/list.ts";
import { exitCodeOf, exitCodes } from "./exit-codes.ts";
import type { Terminal } from "./terminal.ts";

/** Declares a command on a program; `run` does its work with what every command has. */
export type Declare = (program: Command, run: Run) => void;

/** Runs the work of a command. */
export type Run = (work: (context: CommandContext) => Promise<number>) => Promise<void>;

const commands: readonly Declare[] = [declareList];

/** Runs a command line and resolves to the exit code. Never rejects; what went wrong is on stderr, and with `--json` on stdout. */
export async function runCommandLine(argv: readonly string[], terminal: Terminal): Promise<number> {
  let exitCode: number = exitCodes.pass;
  const program = createProgram(terminal);
  const run: Run = async (work) => {
    exitCode = await work({ terminal, options: program.opts<GlobalOptions>() });
  };
  for (const declare of commands) declare(program, run);
  try {
    await program.parseAsync(argv, { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.pass : exitCodes.usage;
    const message = error instanceof Error ? error.message : String(error);
    if (program.opts<GlobalOptions>().json === true) terminal.out(`${JSON.stringify({ error: { message } })}\n`);
    else terminal.err(`${message}\n`);
    return exitCodeOf(error);
  }
}

function createProgram(terminal: Terminal): Command {
  return new Command("toolport")
    .description("All your MCP servers, from a terminal.")
    .option("--config <file...>", "use these files in place of what is found")
    .option("--json", "one JSON document on stdout")
    .option("--timeout <seconds>", "how long servers may take to come up", Number, 30)
    .exitOverride()
    .configureOutput({ writeOut: terminal.out, writeErr: terminal.err })
    .showHelpAfterError("Run toolport --help for the commands.");
}
