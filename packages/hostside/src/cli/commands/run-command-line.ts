import { CommanderError } from "commander";
import { HostsideError } from "@hostside/core";
import { EndedSilently, exitCodeOf, exitCodes, usageError } from "../exit-codes.ts";
import type { CommandContext } from "../command-context.ts";
import { takeTypedServer } from "../opening/typed-server.ts";
import { createProgram } from "./create-program.ts";
import type { ProgramOptions } from "./declare.ts";
import { renderError } from "../program/render-error.ts";
import { withColor, withSafeOutput, type Terminal } from "../terminal.ts";

/**
 * Runs a command line and resolves to the exit code. Never rejects; what went wrong is on stderr,
 * and with `--json` on stdout. It ends on the terminal's signal, as soon as nothing of
 * the command is left.
 */
export async function runCommandLine(argv: readonly string[], terminal: Terminal): Promise<number> {
  let exitCode: number = exitCodes.pass;
  let isStopExpected = false;
  const contextOf = (): CommandContext => {
    const { color, ...options } = program.opts<ProgramOptions>();
    const expectStop = (): void => void (isStopExpected = true);
    return {
      terminal: withSafeOutput(withColor(terminal, color)),
      options: { ...options, ...(taken.server !== undefined && { typed: taken.server }) },
      expectStop,
      program,
    };
  };
  const isJson = isJsonAsked(argv);
  const program = createProgram(terminal, async (work) => {
    exitCode = await work(contextOf());
  });
  const taken = takeTypedServer(argv, program);
  let command = program;
  program.hook("preSubcommand", (_parent, chosen) => {
    command = chosen;
  });
  const { signal } = terminal;
  try {
    await program.parseAsync(taken.line, { from: "user" });
    const isInterrupted = signal.aborted && !(signal.reason instanceof EndedSilently);
    return isInterrupted && !isStopExpected ? exitCodes.incomplete : exitCode;
  } catch (error) {
    if (signal.reason instanceof EndedSilently) return signal.reason.exitCode;
    if (error instanceof CommanderError && error.exitCode === 0) return exitCodes.pass;
    const problem = toProblem(error, command.name(), signal);
    const { terminal: shown, options } = contextOf();
    // Of a line that could not be read to its end, not all options are known.
    renderError(problem, { terminal: shown, options: { ...options, json: options.json ?? isJson } });
    return exitCodeOf(problem);
  }
}

function isJsonAsked(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  return argv.slice(0, end === -1 ? undefined : end).includes("--json");
}

function toProblem(error: unknown, command: string, signal: AbortSignal): unknown {
  if (error instanceof CommanderError) return toUsageError(error, command);
  // Whatever a command makes of it, and whatever function of ours was at work: it ends because
  // somebody wanted that.
  return signal.aborted ? new HostsideError("interrupted", { code: "aborted", cause: error }) : error;
}

function toUsageError({ code, message }: CommanderError, command: string): Error {
  if (code === "commander.help") return usageError("a command is missing", "hostside --help lists them");
  const [first = "", suggestion] = message.replace(/^error: /, "").split("\n");
  const page = command === "hostside" ? "hostside --help" : `hostside help ${command}`;
  return usageError(first, suggestion?.replace(/^\((.*)\)$/, "$1") ?? `see ${page}`);
}
