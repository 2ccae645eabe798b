import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { fixtureServer } from "@hostside/fixtures";
import { expect, it } from "vitest";
import { envelope } from "./raw-client.ts";

const program = fileURLToPath(new URL("programs/serve.mjs", import.meta.url));
const spec = { id: "s", type: "stdio", ...fixtureServer("modern-stdio") };
const limits = { maxBufferedBytes: 1024 * 1024, slowReaderMs: 300 };

function start(settings: object) {
  const args = [program, JSON.stringify([spec]), JSON.stringify(settings)];
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.on("error", () => {});
  return child;
}

function callText(id: number): string {
  const params = { name: "mcp_s_echo", arguments: { text: "x".repeat(50_000) }, _meta: envelope() };
  return `${JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params })}\n`;
}

it("a client that never reads its pipe is given up, and the process with its servers goes", async () => {
  const child = start({ limits });
  for (let id = 1; id <= 400; id += 1) child.stdin.write(callText(id));
  expect(await once(child, "exit")).toEqual([0, null]);
});

it("a client that reads nothing and closes its end leaves no process behind", async () => {
  // Where its answers fill the pipe before its end is reached, nothing more is read of it, and that
  // it does not read is what ends it.
  const child = start({ limits: { ...limits, slowReaderMs: 3000 } });
  for (let id = 1; id <= 100; id += 1) child.stdin.write(callText(id));
  child.stdin.end();
  expect(await once(child, "exit")).toEqual([0, null]);
});
