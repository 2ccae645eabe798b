// Runs the simulation of the provider for long: `pnpm soak [schedules] [--seed N] [--path P]`. Without a seed every run is another
// one; a failure prints seed and path, with which it can be run again.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: "string" }, path: { type: "string" } },
});
const [schedules = "1000000"] = positionals;
if (!/^[1-9]\d*$/.test(schedules)) throw new TypeError("the number of schedules must be a positive integer");

const { status } = spawnSync(
  process.execPath,
  ["node_modules/vitest/vitest.mjs", "run", "packages/provider/test/simulation/simulation.test.ts"],
  {
    cwd: fileURLToPath(new URL("..", import.meta.url)),
    stdio: "inherit",
    env: {
      ...process.env,
      TOOLPORT_SCHEDULES: schedules,
      ...(values.seed !== undefined && { TOOLPORT_SEED: values.seed }),
      ...(values.path !== undefined && { TOOLPORT_PATH: values.path }),
    },
  },
);
process.exitCode = status ?? 1;
