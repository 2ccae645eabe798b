import type { ToolOutcome } from "@hostside/core";
import { createProvider } from "@hostside/provider";
import { createConnector } from "@hostside/transports";
import type { BenchServer, Contender, CreateContender } from "../contender.ts";
import { installedVersion } from "../installed-version.ts";

/**
 * The provider and the transports of Hostside alone, without policy and toolbox. Plain objects of ten thousand tools need no other limit than
 * the default.
 */
export const create: CreateContender = async () => {
  const provider = createProvider({ connector: createConnector() });
  const contender: Contender = {
    name: "its provider alone",
    version: installedVersion("@hostside/provider"),
    async connect(servers) {
      await Promise.all(servers.map((server) => provider.addServer(toSpec(server))));
    },
    async listTools() {
      return provider.tools().map((definition) => ({
        name: definition.name,
        serverId: definition.origin?.serverId ?? "",
        toolName: definition.origin?.toolName ?? "",
        definition,
      }));
    },
    async call(name, args) {
      return firstText(await provider.call(name, args));
    },
    modelNames: async () => provider.tools().map(({ name }) => name),
    lookup: (name) => provider.has(name),
    close: () => provider.close(),
  };
  return contender;
};

function toSpec(server: BenchServer): Parameters<ReturnType<typeof createProvider>["addServer"]>[0] {
  return server.type === "stdio"
    ? { id: server.id, type: "stdio", command: server.command, args: server.args }
    : { id: server.id, type: "http", url: server.url };
}

function firstText({ content }: ToolOutcome): string {
  const text = content[0]?.["text"];
  return typeof text === "string" ? text : "";
}
