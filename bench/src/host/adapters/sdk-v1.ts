import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Tool } from "@modelcontextprotocol/sdk/types.js";
import type { BenchServer, CreateContender } from "../contender.ts";
import { installedVersion } from "../installed-version.ts";

/** The bare v1 client of the official SDK, one per server, with its defaults. */
export const create: CreateContender = async () => {
  const clients = new Map<string, Client>();
  return {
    name: "SDK v1 (bare)",
    version: installedVersion("@modelcontextprotocol/sdk"),
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
          (await listAll(client)).map((definition) => ({
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
      // The v1 types leave content open, for servers of 2024-10-07.
      const [first] = content as readonly { readonly text?: string }[];
      return first?.text ?? "";
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

// This client gives one page at a time; following the cursor is up to its user.
async function listAll(client: Client): Promise<readonly Tool[]> {
  const all: Tool[] = [];
  let cursor: string | undefined;
  do {
    const { tools, nextCursor } = await client.listTools(cursor === undefined ? {} : { cursor });
    all.push(...tools);
    cursor = nextCursor;
  } while (cursor !== undefined);
  return all;
}
