// Runs the simulation of the provider for long: `pnpm soak [schedules] [--mode lazy|debounced|manual] [--seed N] [--path P]`, with
// so many schedules in each mode. Without a seed every run is another one; a failure prints seed and path, to run it again.
import { spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { mode: { type: "string" }, seed: { type: "string" }, path: { type: "string" } },
});
const [schedules = "1000000"] = positionals;
if (!/^[1-9]\d*$/.test(schedules)) throw new TypeError("the number of schedules must be a positive integer");
const modes = ["lazy", "debounced", "manual"].filter((mode) => values.mode === undefined || values.mode === mode);
if (modes.length === 0) throw new TypeError("the mode must be lazy, debounced or manual");

const { status } = spawnSync(
  process.execPath,
  [
    "node_modules/vitest/vitest.mjs",
    "run",
    "--reporter=default",
    ...modes.map((mode) => `packages/provider/test/simulation/${mode}.test.ts`),
  ],
  {
    cwd: fileURLToPath(new URL("..", import.meta.url)),
    stdio: "inherit",
    env: {
      ...process.env,
      TOOLPORT_SCHEDULES: schedules,
      TOOLPORT_SEED: values.seed ?? String(randomInt(2 ** 31)),
      ...(values.path !== undefined && { TOOLPORT_PATH: values.path }),
    },
  },
);
process.exitCode = status ?? 1;
