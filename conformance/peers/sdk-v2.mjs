import { Client, SSEClientTransport, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { servePeer } from "./serve-peer.mjs";

// The official SDK, bare: one client per server, which follows announcements and probes for the era as its options allow.
await servePeer({
  name: "@modelcontextprotocol/client",
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
    "meta",
  ],
  create(changed) {
    const clients = new Map();
    return {
      async add(server) {
        const client = new Client(
          { name: "sdk-v2-driver", version: "1.0.0" },
          {
            versionNegotiation: { mode: "auto", probe: { timeoutMs: server.connectMs / 4 } },
            listChanged: { tools: { autoRefresh: false, onChanged: () => changed(server.id) } },
          },
        );
        clients.set(server.id, client);
        await client.connect(transportOf(server), { timeout: server.connectMs });
      },
      async remove(id) {
        const client = clients.get(id);
        clients.delete(id);
        await client?.close();
      },
      async listOne(id) {
        const { tools } = await clients.get(id).listTools();
        return tools.map(({ name }) => ({ remoteName: name }));
      },
      call: ({ serverId, remoteName, args, meta, timeoutMs, signal }) =>
        clients
          .get(serverId)
          .callTool(
            { name: remoteName, arguments: args, ...(meta && { _meta: meta }) },
            { timeout: timeoutMs, signal },
          ),
      async close() {
        await Promise.all(Array.from(clients.values(), (client) => client.close()));
      },
    };
  },
});

function transportOf({ transport }) {
  if (transport.type === "stdio") {
    const { command, args, cwd } = transport;
    return new StdioClientTransport({ command, args: [...args], stderr: "ignore", ...(cwd !== undefined && { cwd }) });
  }
  const { url, mode, headers } = transport;
  const options = headers === undefined ? {} : { requestInit: { headers } };
  const Transport = mode === "sse" ? SSEClientTransport : StreamableHTTPClientTransport;
  return new Transport(new URL(url), options);
}
