import { installed } from "./installed.mjs";

process.env.OPENAI_AGENTS_DISABLE_TRACING = "1";
const { getAllMcpTools, MCPServerStdio, MCPServerStreamableHttp } = await import("@openai/agents");

/** One server object per server, as an agent of this SDK is given them. */
export const create = async () => {
  const hosts = new Map();
  return {
    name: "@openai/agents",
    version: installed("@openai/agents"),
    async connect(servers) {
      await Promise.all(
        servers.map(async (server) => {
          const host = open(server);
          await host.connect();
          hosts.set(server.id, host);
        }),
      );
    },
    async listTools() {
      const lists = await Promise.all(
        Array.from(hosts, async ([serverId, host]) =>
          (await host.listTools()).map((definition) => ({
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
      const { content } = await hosts.get(name.slice(0, slash)).callToolResult(name.slice(slash + 1), args);
      return content[0].text;
    },
    async modelNames() {
      return (await getAllMcpTools({ mcpServers: [...hosts.values()] })).map(({ name }) => name);
    },
    async close() {
      await Promise.all(Array.from(hosts.values(), (host) => host.close()));
    },
  };
};

// `listTools` of 10,000 tools in pages of 500 fits its default of 64 pages.
function open(server) {
  if (server.type === "http") return new MCPServerStreamableHttp({ name: server.id, url: server.url });
  return new MCPServerStdio({ name: server.id, command: server.command, args: [...server.args] });
}
