import { installed } from "./installed.mjs";

process.env.MASTRA_TELEMETRY_DISABLED = "1";
const { MCPClient } = await import("@mastra/mcp");

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
            server.kind === "http" ? { url: new URL(server.url) } : { command: server.command, args: [...server.args] },
          ]),
        ),
      });
      // It connects when tools are first asked for.
      await client.getTools();
    },
    async listTools() {
      const all = Object.entries(await client.getTools());
      for (const [name, tool] of all) tools.set(name, tool);
      return all.map(([name, definition]) => {
        const [serverId, ...rest] = name.split("_");
        return { serverId, toolName: rest.join("_"), name, definition };
      });
    },
    async call(name, args) {
      const result = await tools.get(name).execute({ context: args });
      // Structured content takes the place of the blocks.
      return (result.content?.[0] ?? result).text;
    },
    modelNames: async () => Object.keys(await client.getTools()),
    close: () => client.disconnect(),
  };
};
