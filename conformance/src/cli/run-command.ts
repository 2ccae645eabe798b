import type { CheckInfo } from "../engine/check.ts";
import { kitVersion } from "../engine/kit-version.ts";
import { exitCodes } from "../engine/run-report.ts";
import { serverChecks } from "../server/checks/server-checks.ts";
import { checksMeant } from "./checks-meant.ts";
import type { CommandIo } from "./command-io.ts";
import { parseCommand } from "./command.ts";
import { explainId, listChecks } from "./describe-checks.ts";
import { helpText } from "./help.ts";

/** Runs a command line and resolves with the exit code. Rejects only for a bug of the kit. */
export async function runCommand(argv: readonly string[], io: CommandIo): Promise<number> {
  const command = parseCommand(argv);
  switch (command.kind) {
    case "help":
      io.out(helpText);
      return argv.length === 0 ? exitCodes.usage : exitCodes.pass;
    case "version":
      io.out(`${kitVersion()}\n`);
      return exitCodes.pass;
    case "list":
      io.out(listChecks(await allChecks()));
      return exitCodes.pass;
    case "explain": {
      const { checkId } = command;
      const checks = await allChecks();
      const explained = explainId(checkId, checks);
      if (explained === undefined) return mistake(noCheck(checkId, checks), io);
      io.out(explained);
      return exitCodes.pass;
    }
    case "mistake":
      return mistake(command.message, io);
    // Loaded on demand, so that --help and a mistake are told at once.
    case "server":
      return (await import("./run-server-command.ts")).runServerCommand(command, io);
    case "host":
      return (await import("../host/run-host-command.ts")).runHostCommand(command, io);
    case "lock":
    case "diff":
      return (await import("./run-lock-command.ts")).runLockCommand(command, io);
    case "compare":
      return (await import("./run-compare-command.ts")).runCompareCommand(command, io);
  }
}

async function allChecks(): Promise<readonly CheckInfo[]> {
  return [...serverChecks, ...(await import("../host/host-checks.ts")).hostChecks];
}

function noCheck(wanted: string, checks: readonly CheckInfo[]): string {
  const name = JSON.stringify(wanted);
  const ids = checks.map(({ id }) => id);
  const within = ids.filter((id) => id.startsWith(`${wanted}/`)).length;
  return within === 0
    ? `no check ${name}${checksMeant(wanted, ids)}`
    : `${name} is an area of ${within} checks; --list shows their ids`;
}

function mistake(message: string, { err }: CommandIo): number {
  err(`${message}\nRun hostside-conformance --help for the options.\n`);
  return exitCodes.usage;
}
