import { execFileSync } from "node:child_process";

/**
 * A Node to measure with: path of its program. Its own for the running major version, else the
 * newest of that major from npm.
 */
export function findNode(major: string | undefined): string {
  if (major === undefined || process.versions.node.split(".")[0] === major) return process.execPath;
  const out = execFileSync("npx", ["-y", "-p", `node@${major}`, "node", "-p", "process.execPath"], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    shell: process.platform === "win32",
  });
  return out.trim();
}
