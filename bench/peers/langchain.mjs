import { MultiServerMCPClient } from "@langchain/mcp-adapters";
import { installed } from "./installed.mjs";

/** One client for all servers; its tools are LangChain's. Prefixed names, because eight servers have a tool `echo` here. */
export const create = async () => {
  let client;
  let prefixed;
  const tools = new Map();
  return {
    name: "@langchain/mcp-adapters",
    version: installed("@langchain/mcp-adapters"),
    async connect(servers) {
      const mcpServers = Object.fromEntries(
        servers.map((server) => [
          server.id,
          server.type === "http"
            ? { transport: "http", url: server.url }
            : { transport: "stdio", command: server.command, args: [...server.args] },
        ]),
      );
      client = new MultiServerMCPClient({ mcpServers, prefixToolNameWithServerName: true });
      prefixed = mcpServers;
      await client.initializeConnections();
    },
    async listTools() {
      const all = await client.getTools();
      for (const tool of all) tools.set(tool.name, tool);
      return all.map((definition) => {
        const [serverId, ...rest] = definition.name.split("__");
        return { serverId, toolName: rest.join("__"), name: definition.name, definition };
      });
    },
    async call(name, args) {
      const answer = await tools.get(name).invoke(args);
      if (typeof answer === "string") return answer;
      // Structured content takes the place of the blocks.
      return (Array.isArray(answer) ? answer[0] : (answer.structuredContent ?? answer)).text;
    },
    // Without the option: its default.
    async modelNames() {
      const plain = new MultiServerMCPClient({ mcpServers: prefixed });
      const names = (await plain.getTools()).map(({ name }) => name);
      await plain.close();
      return names;
    },
    close: () => client.close(),
  };
};
