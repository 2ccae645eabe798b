import { createMCPClient } from "@ai-sdk/mcp";
import { StdioMCPTransport } from "@ai-sdk/mcp/mcp-stdio";
import { installed } from "./installed.mjs";

/** One client per server, and the tools that it makes of what the server lists, as the documentation of the AI SDK has it. */
export const create = async () => {
  const clients = new Map();
  const tools = new Map();
  return {
    name: "@ai-sdk/mcp",
    version: installed("@ai-sdk/mcp"),
    async connect(servers) {
      await Promise.all(
        servers.map(async (server) => {
          clients.set(server.id, await createMCPClient({ transport: transportFor(server) }));
        }),
      );
    },
    async listTools() {
      const lists = await Promise.all(
        Array.from(clients, async ([serverId, client]) => {
          const own = Object.entries(await client.tools());
          return own.map(([toolName, definition]) => ({
            serverId,
            toolName,
            name: `${serverId}/${toolName}`,
            definition,
          }));
        }),
      );
      for (const { name, definition } of lists.flat()) tools.set(name, definition);
      return lists.flat();
    },
    async call(name, args) {
      const { content } = await tools.get(name).execute(args, { toolCallId: "1", messages: [] });
      return content[0].text;
    },
    // "Merge the tools of several clients by spreading them into one object."
    async modelNames() {
      const sets = await Promise.all(Array.from(clients.values(), (client) => client.tools()));
      return Object.keys(Object.assign({}, ...sets));
    },
    async close() {
      await Promise.all(Array.from(clients.values(), (client) => client.close()));
    },
  };
};

function transportFor(server) {
  if (server.type === "http") return { type: "http", url: server.url };
  return new StdioMCPTransport({ command: server.command, args: [...server.args] });
}
