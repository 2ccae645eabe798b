import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { servePeer } from "./serve-peer.mjs";

// The first line of the official SDK, bare: one client per server, which follows announcements as its options allow.
await servePeer({
  name: "@modelcontextprotocol/sdk",
  features: ["stdio", "http", "sse", "legacy", "headers", "addServer", "removeServer", "refresh", "cancel", "meta"],
  create(changed) {
    const clients = new Map();
    return {
      async add(server) {
        const client = new Client(
          { name: "sdk-v1-driver", version: "1.0.0" },
          { listChanged: { tools: { autoRefresh: false, onChanged: () => changed(server.id) } } },
        );
        clients.set(server.id, client);
        await client.connect(transportOf(server), { timeout: server.connectMs });
      },
      async remove(id) {
        const client = clients.get(id);
        clients.delete(id);
        await client?.close();
      },
      listOne: (id) => listAll(clients.get(id)),
      call: ({ serverId, remoteName, args, meta, timeoutMs, signal }) =>
        clients.get(serverId).callTool({ name: remoteName, arguments: args, ...(meta && { _meta: meta }) }, undefined, {
          timeout: timeoutMs,
          signal,
        }),
      async close() {
        await Promise.all(Array.from(clients.values(), (client) => client.close()));
      },
    };
  },
});

// Its own listing is one page.
async function listAll(client) {
  const tools = [];
  let cursor;
  do {
    const page = await client.listTools(cursor === undefined ? {} : { cursor });
    for (const { name } of page.tools) tools.push({ remoteName: name });
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return tools;
}

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
