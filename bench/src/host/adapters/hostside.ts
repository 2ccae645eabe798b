import { createHost, type Conversation, type Host } from "hostside";
import type { BenchServer, CreateContender } from "../contender.ts";
import { installedVersion } from "../installed-version.ts";

/** Hostside as its README shows it, with a rule about another tool. */
export const create: CreateContender = async () => {
  let host: Host | undefined;
  let conversation: Conversation | undefined;
  const opened = (): Conversation => {
    if (conversation === undefined) throw new TypeError("connect() was not called");
    return conversation;
  };
  return {
    name: "Hostside",
    version: installedVersion("hostside"),
    async connect(servers) {
      host = await createHost({
        servers: Object.fromEntries(servers.map((server) => [server.id, toEntry(server)])),
        policy: { deny: ["*/never_*"], defaultDecision: "allow" },
      });
      conversation = await host.conversation();
    },
    async listTools() {
      return opened()
        .tools()
        .flatMap((definition) => {
          const { name, origin } = definition;
          // Tools of servers, without those that Hostside adds.
          return origin === undefined || origin.serverId === "" ? [] : [{ name, ...origin, definition }];
        });
    },
    async call(name, args) {
      const { content } = await opened().call(name, args);
      const text = content[0]?.["text"];
      return typeof text === "string" ? text : "";
    },
    modelNames: async () =>
      opened()
        .tools()
        .map(({ name }) => name),
    lookup: (name) => opened().has(name),
    async close() {
      await host?.close();
    },
  };
};

function toEntry(server: BenchServer) {
  return server.type === "stdio" ? { command: server.command, args: server.args } : { url: server.url };
}
