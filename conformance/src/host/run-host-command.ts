import type { CommandIo } from "../cli/command-io.ts";
import type { HostCommandLine } from "../cli/command.ts";
import { exitCodes } from "../engine/run-report.ts";

/** Runs the `host` command and resolves with the exit code. */
export async function runHostCommand(_commandLine: HostCommandLine, { err }: CommandIo): Promise<number> {
  err("The host side of this kit is not there yet.\n");
  return exitCodes.incomplete;
}
