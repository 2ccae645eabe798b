import { refuse, type CommandIo } from "../cli/command-io.ts";
import type { HostCommandLine } from "../cli/command.ts";
import { prepareRun, runAndReport } from "../cli/run-checks-command.ts";
import { checkHost } from "./check-host.ts";
import { checksUpTo, hostChecks } from "./host-checks.ts";
import { hostLevels } from "./host-scenario.ts";
import { spawnDriver } from "./spawn-driver.ts";

/** Runs the `host` command and resolves with the exit code. */
export async function runHostCommand(commandLine: HostCommandLine, io: CommandIo): Promise<number> {
  const { driver, level = "hostile", reports } = commandLine;
  const known = hostLevels.find((each) => each === level);
  if (known === undefined)
    return refuse(`--level must be one of ${hostLevels.join(", ")}, not ${JSON.stringify(level)}`, io);
  const prepared = await prepareRun(checksUpTo(known), commandLine, hostChecks);
  if (typeof prepared === "string") return refuse(prepared, io);
  const name = driver.join(" ");
  return runAndReport(
    (watch) => checkHost({ start: () => spawnDriver(driver), name, ...prepared, ...watch }),
    { ...prepared, target: name },
    { reports, io },
  );
}
