import { installed } from "./installed.mjs";

// Nothing is measured while it reports home.
process.env.MCP_USE_ANONYMIZED_TELEMETRY = "false";
const { MCPClient } = await import("mcp-use/client");

/** One client over sessions, one per server. */
export const create = async () => {
  let client;
  return {
    name: "mcp-use",
    version: installed("mcp-use"),
    async connect(servers) {
      client = MCPClient.fromDict({
        mcpServers: Object.fromEntries(
          servers.map((server) => [
            server.id,
            server.type === "http" ? { url: server.url } : { command: server.command, args: [...server.args] },
          ]),
        ),
      });
      await client.createAllSessions();
    },
    async listTools() {
      const lists = await Promise.all(
        Object.entries(client.getAllActiveSessions()).map(async ([serverId, session]) =>
          (await session.listTools()).map((definition) => ({
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
      const slash = name.indexOf("/");
      const { content } = await client.getSession(name.slice(0, slash)).callTool(name.slice(slash + 1), args);
      return content[0].text;
    },
    close: () => client.close(),
  };
};
