import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { BenchServer, CreateContender } from "../contender.ts";
import { installedVersion } from "../installed-version.ts";

/** The bare v2 client of the official SDK, one per server, with its defaults. */
export const create: CreateContender = async () => {
  const clients = new Map<string, Client>();
  return {
    name: "SDK v2 (bare)",
    version: installedVersion("@modelcontextprotocol/client"),
    async connect(servers) {
      await Promise.all(
        servers.map(async (server) => {
          const client = new Client({ name: "bench", version: "1.0.0" });
          await client.connect(transportFor(server));
          clients.set(server.id, client);
        }),
      );
    },
    async listTools() {
      const lists = await Promise.all(
        Array.from(clients, async ([serverId, client]) =>
          (await client.listTools()).tools.map((definition) => ({
            serverId,
            toolName: definition.name,
            name: `${serverId}/${definition.name}`,
            definition,
          })),
        ),
      );
      return lists.flat();
    },
    async call(name, args) {
      const [serverId = "", tool = ""] = name.split("/");
      const client = clients.get(serverId);
      if (client === undefined) throw new TypeError(`no server ${serverId}`);
      const { content } = await client.callTool({ name: tool, arguments: { ...args } });
      const [first] = content;
      return first?.type === "text" ? first.text : "";
    },
    async close() {
      await Promise.all(Array.from(clients.values(), (client) => client.close()));
    },
  };
};

function transportFor(server: BenchServer): StdioClientTransport | StreamableHTTPClientTransport {
  if (server.type === "stdio") return new StdioClientTransport({ command: server.command, args: [...server.args] });
  return new StreamableHTTPClientTransport(new URL(server.url));
}
