import { createMCPClient } from "@ai-sdk/mcp";
import { StdioMCPTransport } from "@ai-sdk/mcp/mcp-stdio";
import { servePeer } from "./serve-peer.mjs";

// One client per server; the tools are asked for anew in each request handler, as its documentation does.
await servePeer({
  name: "@ai-sdk/mcp",
  features: [
    "stdio",
    "http",
    "sse",
    "legacy",
    "2026-07-28",
    "headers",
    "addServer",
    "removeServer",
    "refresh",
    "cancel",
  ],
  listsAtEachTurn: true,
  create() {
    const clients = new Map();
    const tools = new Map();
    const closing = new AbortController();
    return {
      async add(server) {
        const client = await createMCPClient({
          transport: transportOf(server),
          initializationOptions: { timeout: server.connectMs, signal: closing.signal },
        });
        clients.set(server.id, client);
      },
      async remove(id) {
        const client = clients.get(id);
        clients.delete(id);
        await client?.close();
      },
      async listOne(id) {
        const set = await clients.get(id).tools();
        tools.set(id, set);
        return Object.keys(set).map((remoteName) => ({ remoteName }));
      },
      call: ({ serverId, remoteName, args, signal }) =>
        tools.get(serverId)[remoteName].execute(args, { toolCallId: "1", messages: [], abortSignal: signal }),
      async close() {
        closing.abort();
        await Promise.all(Array.from(clients.values(), (client) => client.close()));
      },
    };
  },
});

function transportOf({ transport }) {
  if (transport.type === "stdio") {
    const { command, args, cwd } = transport;
    return new StdioMCPTransport({ command, args: [...args], stderr: "ignore", ...(cwd !== undefined && { cwd }) });
  }
  const { url, mode, headers } = transport;
  return { type: mode === "sse" ? "sse" : "http", url, ...(headers !== undefined && { headers }) };
}
