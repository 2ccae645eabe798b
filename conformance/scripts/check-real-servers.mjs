// Runs the kit against servers from npm that start without credentials: node conformance/scripts/check-real-servers.mjs [name…]
// They are installed into a temporary folder without their install scripts, and the folder is deleted afterwards. The versions are
// those of docs/internals/findings-real-servers.md, which has some more that npm names no command of, or another's; build the kit first.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const kit = fileURLToPath(new URL("../bin/hostside-conformance.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "hostside-real-"));
const files = join(folder, "files");

const servers = [
  ["@modelcontextprotocol/server-everything@2026.8.31", "mcp-server-everything"],
  ["@modelcontextprotocol/server-filesystem@2026.8.31", "mcp-server-filesystem", files],
  ["@modelcontextprotocol/server-memory@2026.8.31", "mcp-server-memory"],
  ["@modelcontextprotocol/server-sequential-thinking@2026.8.31", "mcp-server-sequential-thinking"],
  ["@upstash/context7-mcp@4.1.1", "context7-mcp"],
  ["@playwright/mcp@0.0.83", "playwright-mcp", "--headless"],
  ["mcp-fetch-server@1.1.2", "mcp-fetch-server"],
  ["@coo-quack/calc-mcp@2.1.1", "calc-mcp"],
  ["@eslint/mcp@0.3.13", "mcp"],
  ["time-mcp@1.0.6", "time-mcp"],
  ["@aashari/boilerplate-mcp-server@3.2.0", "mcp-server"],
  ["@opentofu/opentofu-mcp-server@0.1.5", "opentofu-mcp-server"],
  ["@kazuph/mcp-taskmanager@1.1.1", "mcp-taskmanager"],
  ["@drawio/mcp@1.6.1", "drawio-mcp"],
  ["domain-search-mcp@1.13.1", "domain-search-mcp"],
  // These ask for Node 22 or later.
  ["just-bash-mcp@3.1.0", "just-bash-mcp"],
  ["@mastra/mcp-docs-server@1.2.27", "mcp-docs-server"],
  ["@sylphx/pdf-reader-mcp@2.4.0", "pdf-reader-mcp"],
];

function run(command, args) {
  return spawnSync(command, args, { cwd: folder, stdio: "inherit" }).status;
}

const wanted = process.argv.slice(2);
const chosen = servers.filter(([spec]) => wanted.length === 0 || wanted.some((name) => spec.includes(name)));
try {
  mkdirSync(files);
  writeFileSync(join(folder, "package.json"), "{}");
  if (run("npm", ["install", "--ignore-scripts", ...chosen.map(([spec]) => spec)]) !== 0) process.exitCode = 1;
  for (const [spec, bin, ...args] of chosen) {
    process.stdout.write(`\n${spec}\n\n`);
    const code = run(process.execPath, [kit, "server", "--", join("node_modules", ".bin", bin), ...args]);
    if (code !== 0) process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true });
}
