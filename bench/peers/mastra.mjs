import { installed } from "./installed.mjs";

process.env.MASTRA_TELEMETRY_DISABLED = "1";
const { getMcpCallToolContent, MCPClient } = await import("@mastra/mcp");

/** One client for all servers; its tools are Mastra's, named `server_tool`. */
export const create = async () => {
  let client;
  const tools = new Map();
  return {
    name: "@mastra/mcp",
    version: installed("@mastra/mcp"),
    async connect(servers) {
      client = new MCPClient({
        id: `bench-${process.hrtime.bigint()}`,
        servers: Object.fromEntries(
          servers.map((server) => [
            server.id,
            server.type === "http" ? { url: new URL(server.url) } : { command: server.command, args: [...server.args] },
          ]),
        ),
      });
      // It connects when tools are first asked for.
      await client.listTools();
    },
    async listTools() {
      const all = Object.entries(await client.listTools());
      for (const [name, tool] of all) tools.set(name, tool);
      return all.map(([name, definition]) => {
        const [serverId, ...rest] = name.split("_");
        return { serverId, toolName: rest.join("_"), name, definition };
      });
    },
    async call(name, args) {
      const result = await tools.get(name).execute(args, {});
      // Structured content takes the place of the blocks, which are kept beside it.
      return (getMcpCallToolContent(result) ?? result.content)[0].text;
    },
    modelNames: async () => Object.keys(await client.listTools()),
    close: () => client.disconnect(),
  };
};
