import { createRuntime } from "mcporter";
import { servePeer } from "./serve-peer.mjs";

// One runtime for all servers, which connects when a server is first asked, and again after an error. It lists whenever it is asked to.
await servePeer({
  name: "mcporter",
  features: ["stdio", "http", "legacy", "headers", "addServer", "refresh"],
  listsAtEachTurn: true,
  create() {
    const quiet = { info() {}, warn() {}, error() {}, debug() {} };
    const made = createRuntime({ logger: quiet, servers: [] });
    return {
      async add(server) {
        const runtime = await made;
        runtime.registerDefinition(definitionOf(server), { overwrite: true });
      },
      async remove(id) {
        await (await made).close(id);
      },
      async listOne(id) {
        const tools = await (await made).listTools(id, { includeSchema: true });
        return tools.map(({ name }) => ({ remoteName: name }));
      },
      call: async ({ serverId, remoteName, args, timeoutMs }) =>
        (await made).callTool(serverId, remoteName, { args, timeoutMs }),
      close: async () => (await made).close(),
    };
  },
});

function definitionOf({ id, transport }) {
  if (transport.type === "stdio") {
    const { command, args, cwd = process.cwd() } = transport;
    return { name: id, command: { kind: "stdio", command, args: [...args], cwd } };
  }
  const { url, headers } = transport;
  return { name: id, command: { kind: "http", url: new URL(url), headers: { ...headers } } };
}
