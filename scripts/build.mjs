// Builds every package in order, from turbo's cache where nothing changed. Silent unless something fails, and without turbo's
// telemetry: nothing here reports to anybody.
import { spawnSync } from "node:child_process";

const { status, stdout, error } = spawnSync(
  "turbo",
  ["run", "build", "--output-logs=errors-only", ...process.argv.slice(2)],
  {
    stdio: ["ignore", "pipe", "inherit"],
    encoding: "utf8",
    shell: process.platform === "win32",
    env: { ...process.env, TURBO_TELEMETRY_DISABLED: "1", TURBO_NO_UPDATE_NOTIFIER: "1" },
  },
);
if (status !== 0) console.error(error === undefined ? stdout : `${error.message}; run this as \`pnpm build\``);
process.exitCode = status ?? 1;
