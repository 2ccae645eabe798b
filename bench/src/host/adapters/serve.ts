import { createProvider, type McpProvider } from "@hostside/provider";
import { createConnector } from "@hostside/transports";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { BenchServer, CreateContender } from "../contender.ts";
import { installedVersion } from "../installed-version.ts";

/** `hostside serve` before all servers, in a process of its own, with a provider as its client. */
export const create: CreateContender = async () => {
  let provider: McpProvider | undefined;
  let folder: string | undefined;
  const opened = (): McpProvider => {
    if (provider === undefined) throw new TypeError("connect() was not called");
    return provider;
  };
  return {
    name: "hostside serve",
    version: installedVersion("hostside"),
    async connect(servers) {
      folder = await mkdtemp(join(tmpdir(), "hostside-bench-"));
      const file = join(folder, "hostside.json");
      const entries = servers.map((server) => [server.id, toEntry(server)]);
      await writeFile(file, JSON.stringify({ servers: Object.fromEntries(entries) }));
      const command = fileURLToPath(
        import.meta.resolve("hostside/package.json").replace("package.json", "bin/hostside.js"),
      );
      provider = createProvider({ connector: createConnector() });
      await provider.addServer({
        id: "serve",
        type: "stdio",
        command: process.execPath,
        args: [command, "serve", "--config", file, "--expose", "all"],
        env: { HOME: folder },
      });
    },
    async listTools() {
      return opened()
        .tools()
        .filter(({ origin }) => origin?.toolName.startsWith("mcp_"))
        .map((definition) => {
          const { name, origin } = definition;
          const [, serverId = "", toolName = ""] = /^mcp_(.*?)_(.*)$/.exec(origin?.toolName ?? "") ?? [];
          return { serverId, toolName, name, definition };
        });
    },
    async call(name, args) {
      const { content } = await opened().call(name, args);
      const text = content[0]?.["text"];
      return typeof text === "string" ? text : "";
    },
    async close() {
      await provider?.close();
      if (folder !== undefined) await rm(folder, { recursive: true, force: true });
    },
  };
};

function toEntry(server: BenchServer) {
  return server.type === "stdio" ? { command: server.command, args: server.args } : { url: server.url };
}
