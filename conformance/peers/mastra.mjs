import { servePeer } from "./serve-peer.mjs";

process.env.MASTRA_TELEMETRY_DISABLED = "1";
const { getMcpCallToolContent, MCPClient } = await import("@mastra/mcp");

// One client for all servers; `listToolsets` is what an agent is given with each request, and what a change of tools calls for.
await servePeer({
  name: "@mastra/mcp",
  features: ["stdio", "http", "legacy", "2026-07-28", "headers", "localNames", "refresh", "cancel", "meta"],
  listsAtEachTurn: true,
  create(changed) {
    let client;
    let perServerTimeoutMs = 0;
    let toolsets = {};
    return {
      async start(servers) {
        perServerTimeoutMs = Math.max(...servers.map(({ connectMs }) => connectMs));
        client = new MCPClient({
          id: `driver-${process.hrtime.bigint()}`,
          servers: Object.fromEntries(servers.map((server) => [server.id, definitionOf(server)])),
        });
        await client.listToolsetsWithErrors({ perServerTimeoutMs });
        // The stream of announcements is there in one era only.
        for (const { id } of servers) client.tools.onListChanged(id, () => changed()).catch(() => {});
      },
      async listAll() {
        const { toolsets: listed } = await client.listToolsetsWithErrors({ perServerTimeoutMs });
        // A server that did not list now keeps the tools that an agent has of it.
        toolsets = { ...toolsets, ...listed };
        // `listTools` joins the names so; for a model, they are that.
        return new Map(
          Object.entries(listed).map(([id, tools]) => [
            id,
            Object.keys(tools).map((remoteName) => ({ remoteName, name: `${id}_${remoteName}` })),
          ]),
        );
      },
      async call({ serverId, remoteName, args, meta, signal }) {
        const context = { abortSignal: signal, ...(meta && { _meta: meta }) };
        const result = await toolsets[serverId][remoteName].execute(args, context);
        // What it finds wrong with arguments or results is an answer of its own kind.
        if (result?.error === true && result.content === undefined) throw new Error(result.message);
        const content = getMcpCallToolContent(result);
        return content === undefined ? result : { content, structuredContent: result };
      },
      close: async () => client?.disconnect(),
    };
  },
});

function definitionOf({ transport, connectMs }) {
  const common = { timeout: connectMs };
  if (transport.type === "stdio") {
    const { command, args, cwd } = transport;
    return { ...common, command, args: [...args], stderr: "ignore", ...(cwd !== undefined && { cwd }) };
  }
  const { url, headers } = transport;
  return { ...common, url: new URL(url), ...(headers !== undefined && { requestInit: { headers } }) };
}
