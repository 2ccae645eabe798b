import { checkServer } from "../server/check-server.ts";
import { serverChecks } from "../server/checks/server-checks.ts";
import { describeAddress } from "../server/server-address.ts";
import { refuse, type CommandIo } from "./command-io.ts";
import { type ServerCommandLine, startTime } from "./command.ts";
import { readConsent } from "./read-consent.ts";
import { readTarget, thenSignOut } from "./read-target.ts";
import { prepareRun, runAndReport } from "./run-checks-command.ts";

/** Runs the `server` command and resolves with the exit code. */
export async function runServerCommand(commandLine: ServerCommandLine, io: CommandIo): Promise<number> {
  const { target, calls, allowCalls, preview, reports } = commandLine;
  const prepared = await prepareRun(serverChecks, commandLine);
  if (typeof prepared === "string") return refuse(prepared, io);
  const consent = readConsent(calls, allowCalls);
  if (typeof consent === "string") return refuse(consent, io);
  const address = await readTarget(target, io.signal);
  if (typeof address === "string") return refuse(address, io);
  const options = { address, consent, preview, ...prepared, ...startTime(target) };
  return runAndReport(
    (watch) => thenSignOut(address, checkServer({ ...options, ...watch })),
    { ...prepared, target: describeAddress(address) },
    { reports, io },
  );
}
