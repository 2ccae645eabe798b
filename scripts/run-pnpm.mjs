import { execFileSync } from "node:child_process";
import { readJson } from "./workspace.mjs";

/**
 * Runs pnpm: the one that started us, or else the version that package.json names.
 * @param {string[]} args
 * @returns {string} What it printed.
 */
export function runPnpm(args) {
  const running = process.env["npm_execpath"] ?? "";
  const [command, ...prefix] = running.includes("pnpm")
    ? [process.execPath, running]
    : ["npx", "-y", String(readJson("package.json").packageManager)];
  return execFileSync(command, [...prefix, ...args], { stdio: ["ignore", "pipe", "inherit"], encoding: "utf8" });
}
