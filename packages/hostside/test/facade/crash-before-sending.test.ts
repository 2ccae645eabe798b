import { existsSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { createHost } from "hostside";
import { expect, it, vi } from "vitest";
import { createTemporaryFolder } from "./temporary-folder.ts";

/**
 * Its first process reads nothing more once a call begins to arrive, and exits when the file
 * `exit` is there. The next one answers every call.
 */
const source = `
  import { existsSync, writeFileSync } from "node:fs";
  import { join } from "node:path";
  const folder = process.argv[1];
  const isFirst = !existsSync(join(folder, "stuck"));
  const results = {
    initialize: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } },
    "tools/list": { tools: [{ name: "say", inputSchema: { type: "object" } }] },
    "tools/call": { content: [{ type: "text", text: "said" }] },
  };
  let rest = "";
  process.stdin.on("data", (data) => {
    rest += data;
    if (isFirst && rest.includes("tools/call")) {
      process.stdin.pause();
      writeFileSync(join(folder, "stuck"), "");
      setInterval(() => existsSync(join(folder, "exit")) && process.exit(4), 5);
      return;
    }
    const lines = rest.split("\\n");
    rest = lines.pop();
    for (const line of lines) {
      const { id, method } = JSON.parse(line);
      if (id === undefined) continue;
      const result = results[method];
      const answer = result ? { result } : { error: { code: -32601, message: "no" } };
      process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...answer }) + "\\n");
    }
  });
`;

it("sends a call again of which nothing had left when the server exited, and no other", async () => {
  const folder = createTemporaryFolder();
  const args = ["--input-type=module", "-e", source, folder.path];
  await using host = await createHost({ servers: { s: { command: process.execPath, args } } });
  const begun = host.call("mcp_s_say", { text: "x".repeat(3_000_000) }).catch((error: unknown) => error);
  await vi.waitFor(() => expect(existsSync(join(folder.path, "stuck"))).toBe(true), { timeout: 60_000, interval: 5 });
  const waiting = host.call("mcp_s_say", { text: "short" });
  // For the second call to reach the queue of lines.
  for (let turn = 0; turn < 10; turn += 1) await setImmediate();
  folder.write("exit", "");
  expect(await begun).toMatchObject({ code: "server_exited", outcome: "unknown" });
  expect((await waiting).content).toEqual([{ type: "text", text: "said" }]);
});
