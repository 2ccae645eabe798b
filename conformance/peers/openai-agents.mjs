import { getAllMcpTools, MCPServerSSE, MCPServerStdio, MCPServerStreamableHttp } from "@openai/agents";
import { servePeer } from "./serve-peer.mjs";

// One object per server, as an agent is given them. An agent lists at each turn, and puts the server into the names if asked to.
await servePeer({
  name: "@openai/agents",
  features: [
    "stdio",
    "http",
    "sse",
    "legacy",
    "2026-07-28",
    "headers",
    "localNames",
    "addServer",
    "removeServer",
    "refresh",
    "cancel",
    "meta",
  ],
  listsAtEachTurn: true,
  create() {
    const hosts = new Map();
    return {
      async add(server) {
        const host = open(server);
        hosts.set(server.id, host);
        await host.connect();
      },
      async remove(id) {
        const host = hosts.get(id);
        hosts.delete(id);
        await host?.close();
      },
      listOne: async (id) => (await hosts.get(id).listTools()).map(({ name }) => ({ remoteName: name })),
      named,
      async call({ serverId, remoteName, args, meta, signal }) {
        return hosts.get(serverId).callToolResult(remoteName, args, meta, { signal });
      },
      async close() {
        await Promise.all(Array.from(hosts.values(), (host) => host.close()));
      },
    };
  },
});

// The names that the agent gives to the tools of all servers at once, in the order of their listings.
async function named(lists) {
  const entries = [...lists];
  const mcpServers = entries.map(([name, tools]) => ({
    name,
    cacheToolsList: false,
    listTools: async () => tools.map(({ remoteName }) => ({ name: remoteName, inputSchema: { type: "object" } })),
    invalidateToolsCache: async () => {},
  }));
  const all = (await getAllMcpTools({ mcpServers, includeServerInToolNames: true })).values();
  return new Map(entries.map(([id, tools]) => [id, tools.map((tool) => ({ ...tool, name: all.next().value.name }))]));
}

function open({ id, transport, connectMs }) {
  const common = { name: id, clientSessionTimeoutSeconds: connectMs / 1000 };
  if (transport.type === "stdio") {
    const { command, args, cwd } = transport;
    return new MCPServerStdio({ ...common, command, args: [...args], ...(cwd !== undefined && { cwd }) });
  }
  const { url, mode, headers } = transport;
  const Server = mode === "sse" ? MCPServerSSE : MCPServerStreamableHttp;
  return new Server({ ...common, url, ...(headers !== undefined && { requestInit: { headers } }) });
}
