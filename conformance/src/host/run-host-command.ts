import { refuse, type CommandIo } from "../cli/command-io.ts";
import type { RunCommandLine } from "../cli/command.ts";
import { prepareRun, runAndReport } from "../cli/run-checks-command.ts";
import { checkHost } from "./check-host.ts";
import { checksUpTo, hostChecks } from "./host-checks.ts";
import { hostLevels } from "./host-scenario.ts";
import { spawnDriver } from "./spawn-driver.ts";

/** Runs the `host` command and resolves with the exit code. */
export async function runHostCommand({ values, program }: RunCommandLine, io: CommandIo): Promise<number> {
  const { level = "hostile" } = values;
  const known = hostLevels.find((each) => each === level);
  if (known === undefined)
    return refuse(`--level must be one of ${hostLevels.join(", ")}, not ${JSON.stringify(level)}`, io);
  const prepared = await prepareRun(checksUpTo(known), values, hostChecks);
  if (typeof prepared === "string") return refuse(prepared, io);
  const name = program.join(" ");
  return runAndReport(
    (watch) => checkHost({ start: () => spawnDriver(program), name, ...prepared, ...watch }),
    { ...prepared, target: name },
    { values, io },
  );
}
