import { exitCodes } from "../engine/run-report.ts";
import type { CommandIo } from "./command-io.ts";
import type { LockCommandLine } from "./command.ts";

export async function runLockCommand(_commandLine: LockCommandLine, { err }: CommandIo): Promise<number> {
  err("not there yet\n");
  return exitCodes.incomplete;
}
