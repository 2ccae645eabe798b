import { MultiServerMCPClient } from "@langchain/mcp-adapters";
import { servePeer } from "./serve-peer.mjs";

// One client for all servers, with what its documentation has for robustness: servers that fail are skipped, processes and streams come
// back. `getTools` is what an agent is made with; it answers from what the client has, and connects where it has nothing.
await servePeer({
  name: "@langchain/mcp-adapters",
  features: ["stdio", "http", "sse", "legacy", "headers", "localNames", "cancel"],
  listsAtEachTurn: true,
  create() {
    let client;
    let tools = new Map();
    let ids = [];
    let started = false;
    return {
      async start(servers) {
        ids = servers.map(({ id }) => id);
        client = new MultiServerMCPClient({
          mcpServers: Object.fromEntries(servers.map((server) => [server.id, connectionOf(server)])),
          prefixToolNameWithServerName: true,
          useStandardContentBlocks: true,
          onConnectionError: "ignore",
          throwOnLoadError: false,
        });
        await client.initializeConnections();
        started = true;
      },
      async listAll() {
        // It connects one server after the other: asked meanwhile, it would begin from the front again.
        if (!started) return new Map();
        const all = await client.getTools();
        tools = new Map(all.map((tool) => [tool.name, tool]));
        // Ids have no two underscores in a row; names may.
        return new Map(
          ids.map((id) => [
            id,
            all
              .filter(({ name }) => name.startsWith(`${id}__`))
              .map(({ name }) => ({ name, remoteName: name.slice(id.length + 2) })),
          ]),
        );
      },
      async call({ name, args, timeoutMs, signal }) {
        const call = { type: "tool_call", id: "1", name, args };
        const { content, artifact } = await tools.get(name).invoke(call, { timeout: timeoutMs, signal });
        return resultOf(content, artifact ?? []);
      },
      close: async () => client?.close(),
    };
  },
});

function resultOf(content, artifact) {
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : [...content];
  const kept = artifact.filter(({ type }) => type !== "mcp_structured_content" && type !== "mcp_meta");
  const structured = artifact.find(({ type }) => type === "mcp_structured_content");
  return { content: [...blocks, ...kept], ...(structured && { structuredContent: structured.data }) };
}

function connectionOf({ transport, connectMs }) {
  const again = { enabled: true, maxAttempts: 5, delayMs: 100 };
  const defaultToolTimeout = connectMs;
  if (transport.type === "stdio") {
    const { command, args, cwd } = transport;
    return {
      transport: "stdio",
      command,
      args: [...args],
      stderr: "ignore",
      restart: again,
      defaultToolTimeout,
      ...(cwd !== undefined && { cwd }),
    };
  }
  const { url, mode, headers } = transport;
  return {
    transport: mode === "sse" ? "sse" : "http",
    url,
    reconnect: again,
    automaticSSEFallback: false,
    defaultToolTimeout,
    ...(headers !== undefined && { headers }),
  };
}
