import { spawnSync } from "node:child_process";
import { readJson } from "./workspace.mjs";

/**
 * Runs pnpm: the one that started us, or else the version that package.json names.
 * @param {string[]} args
 */
export function runPnpm(args) {
  const running = process.env["npm_execpath"] ?? "";
  const [command, ...prefix] = running.includes("pnpm")
    ? [process.execPath, running]
    : ["npx", "-y", String(readJson("package.json").packageManager)];
  const { status, stdout } = spawnSync(command, [...prefix, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  if (status !== 0) throw new Error(`pnpm ${args.join(" ")} failed\n${stdout}`);
}
