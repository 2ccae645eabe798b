// Runs the simulation of the provider for long, with so many schedules in each mode. Without a seed every run is another one; a failure
// prints seed and path, to run it again.
import { spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const usage = "pnpm soak [SCHEDULES] [--mode lazy|debounced|manual] [--seed N] [--path P]";
const { values, positionals } = read();
if (values.help) {
  console.log(usage);
  process.exit(0);
}
const [schedules = "1000000", ...others] = positionals;
if (!/^[1-9]\d*$/.test(schedules) || others.length > 0) refuse("one number of schedules at most, above 0");
const modes = ["lazy", "debounced", "manual"].filter((mode) => values.mode === undefined || values.mode === mode);
if (modes.length === 0) refuse("the mode must be lazy, debounced or manual");

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
      HOSTSIDE_SCHEDULES: schedules,
      HOSTSIDE_SEED: values.seed ?? String(randomInt(2 ** 31)),
      ...(values.path !== undefined && { HOSTSIDE_PATH: values.path }),
    },
  },
);
process.exitCode = status ?? 1;

function read() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        mode: { type: "string" },
        seed: { type: "string" },
        path: { type: "string" },
        help: { type: "boolean", short: "h", default: false },
      },
    });
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
}

/** @param {string} mistake */
function refuse(mistake) {
  console.error(`soak: ${mistake}\n${usage}`);
  return process.exit(2);
}
