import { chmodSync } from "node:fs";
import type { Diagnostic } from "@hostside/core";
import { createHost } from "hostside";
import { expect, it } from "vitest";
import { createTemporaryFolder } from "./temporary-folder.ts";

/** A program that ends neither with its input nor on SIGTERM. */
const stubborn = `#!${process.execPath}
process.on("SIGTERM", () => {});
setInterval(() => {}, 1000);
let rest = "";
process.stdin.on("data", (data) => {
  const lines = (rest + data).split("\\n");
  rest = lines.pop();
  for (const line of lines) {
    const { id, method } = JSON.parse(line);
    if (id === undefined) continue;
    const initialized = { protocolVersion: "2025-06-18", capabilities: {}, serverInfo: { name: "s", version: "1" } };
    const answer = method === "initialize" ? { result: initialized } : { error: { code: -32601, message: "no" } };
    process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...answer }) + "\\n");
  }
});
`;

it.runIf(process.platform !== "win32")(
  "says which container may be left when docker run had to be killed",
  async () => {
    const docker = createTemporaryFolder().write("docker", stubborn);
    chmodSync(docker, 0o700);
    const diagnostics: Diagnostic[] = [];
    const timeouts = { closeMs: 50 };
    const args = ["run", "-i", "--rm", "--name", "shop-mcp", "shop/mcp"];
    const host = await createHost({
      servers: { s: { command: docker, args, timeouts } },
      onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
    });
    await host.close();
    expect(diagnostics.filter(({ kind }) => kind === "container-left")).toEqual([
      {
        kind: "container-left",
        serverId: "s",
        message:
          'server "s" ended neither with its input nor on SIGTERM, and docker run was killed: its container "shop-mcp" may still run; docker stop "shop-mcp" ends it; with --init in its arguments it ends when it is asked to',
      },
    ]);
  },
);
