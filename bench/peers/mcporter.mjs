import { createRuntime } from "mcporter";
import { installed } from "./installed.mjs";

/** One runtime for all servers; each connects when it is first asked. */
export const create = async () => {
  let runtime;
  return {
    name: "mcporter",
    version: installed("mcporter"),
    async connect(servers) {
      const quiet = { info() {}, warn() {}, error() {}, debug() {} };
      runtime = await createRuntime({ logger: quiet, servers: servers.map(toDefinition) });
    },
    async listTools() {
      const lists = await Promise.all(
        runtime.listServers().map(async (serverId) =>
          (await runtime.listTools(serverId, { includeSchema: true })).map((definition) => ({
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
      const { content } = await runtime.callTool(name.slice(0, slash), name.slice(slash + 1), { args });
      return content[0].text;
    },
    close: () => runtime.close(),
  };
};

function toDefinition(server) {
  const command =
    server.type === "http"
      ? { kind: "http", url: new URL(server.url), headers: { accept: "application/json, text/event-stream" } }
      : { kind: "stdio", command: server.command, args: [...server.args], cwd: process.cwd() };
  return { name: server.id, command };
}
