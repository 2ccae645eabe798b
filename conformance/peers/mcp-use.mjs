import { servePeer } from "./serve-peer.mjs";

// Nothing is looked at while it reports home.
process.env.MCP_USE_ANONYMIZED_TELEMETRY = "false";
const { MCPClient } = await import("mcp-use/client");

// One client over sessions, one per server. A session follows the announcements of its server by itself, in `session.tools`.
await servePeer({
  name: "mcp-use",
  features: ["stdio", "http", "sse", "legacy", "headers", "addServer", "removeServer", "cancel"],
  listsAtEachTurn: true,
  create() {
    const client = MCPClient.fromDict({ mcpServers: {} });
    return {
      async add(server) {
        client.addServer(server.id, configOf(server));
        await client.createSession(server.id);
      },
      async remove(id) {
        await client.closeSession(id);
        client.removeServer(id);
      },
      listOne: async (id) => client.requireSession(id).tools.map(({ name }) => ({ remoteName: name })),
      call: ({ serverId, remoteName, args, timeoutMs, signal }) =>
        client.requireSession(serverId).callTool(remoteName, args, { timeout: timeoutMs, signal }),
      close: () => client.close(),
    };
  },
});

function configOf({ transport }) {
  if (transport.type === "stdio") {
    const { command, args, cwd } = transport;
    return { command, args: [...args], ...(cwd !== undefined && { cwd }) };
  }
  const { url, mode, headers } = transport;
  return { url, transport: mode === "sse" ? "sse" : "http", ...(headers !== undefined && { headers }) };
}
