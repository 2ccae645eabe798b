import type { ServerEntry } from "@hostside/core";
import { startFaultServer, type FaultEra, type FaultTransport } from "@hostside/fixtures";
import {
  evvaNaming,
  nexoNaming,
  qualifiedNaming,
  hostsideNaming,
  verbatimNaming,
  type NamingStrategy,
} from "@hostside/naming";
import { createProvider } from "@hostside/provider";
import { createConnector } from "@hostside/transports";
import { describeNamingContract } from "./contracts/naming-contract.ts";
import { describeProviderContract } from "./contracts/provider-contract.ts";
import { describeTransportContract } from "./contracts/transport-contract.ts";
import { createMemoryServer } from "./tools-in-memory.ts";

const shouting: NamingStrategy = {
  ...hostsideNaming,
  prefix: "",
  separator: "-",
  sanitize: (part) => part.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_") || "_",
  legal: /^[A-Za-z0-9_-]+$/,
  maxLength: 40,
};

describeNamingContract("hostsideNaming", () => hostsideNaming);
describeNamingContract("evvaNaming", () => evvaNaming);
describeNamingContract("nexoNaming", () => nexoNaming);
describeNamingContract("verbatimNaming", () => verbatimNaming);
describeNamingContract("qualifiedNaming", () => qualifiedNaming);
describeNamingContract("a strategy of one's own", () => shouting);

describeProviderContract("the provider over two memory servers", () => {
  const first = createMemoryServer("echo", "other");
  const second = createMemoryServer("echo");
  const provider = createProvider({
    connector: createConnector(),
    servers: [
      { id: "first", ...first.spec },
      { id: "second", ...second.spec },
    ],
  });
  return {
    provider,
    works: { name: "mcp_first_echo", args: { text: "hello" } },
    change: async () => void first.tools.splice(1, 1, "new", "newer"),
  };
});

const echo = { tool: "echo", argument: "text" };

describeKinds([
  ["stdio", "legacy"],
  ["stdio", "modern"],
  ["http", "legacy"],
  ["http", "modern"],
  ["sse", "legacy"],
]);
describeTransportContract("the connector over memory", () => ({
  connector: createConnector(),
  spec: { id: "memory", ...createMemoryServer("echo").spec },
  echo,
}));

function describeKinds(kinds: readonly (readonly [FaultTransport, FaultEra])[]): void {
  for (const [transport, era] of kinds) {
    describeTransportContract(`the connector over ${transport}, ${era}`, async () => {
      const server = await startFaultServer({ transport, script: { era } });
      const spec: ServerEntry = server.spec;
      return {
        connector: createConnector(),
        spec: { id: transport, ...spec },
        echo,
        dispose: () => server.close(),
      };
    });
  }
}
