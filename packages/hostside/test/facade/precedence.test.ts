import { HostsideError } from "@hostside/core";
import type { StaticTool, ToolboxOptions } from "@hostside/discovery";
import { expect, it } from "vitest";
import { createHost } from "hostside";
import { createFakeConnector } from "./fake-connector.ts";
import { byName } from "./by-name.ts";

const servers = [{ id: "a", type: "stdio", command: "x" }] as const;

/** A tool of the product with the name of a server's. */
function ownEcho(run: StaticTool["run"]): StaticTool {
  const definition = { name: "mcp_a_echo", description: "Says it again.", inputSchema: { type: "object" } } as const;
  return { definition, run };
}

const unavailable = (): never => {
  throw new HostsideError("out of service", { code: "unreachable", outcome: "not-sent" });
};

interface Answer {
  readonly precedence?: ToolboxOptions["precedence"];
  readonly run?: StaticTool["run"];
  readonly text: string;
  readonly count?: number;
}

it.each<[string, Answer]>([
  ["the product's tool by default, beside the server's under another name", { text: "own", count: 2 }],
  ["the server's tool", { precedence: "provider", text: "a did echo" }],
  ["the product's tool with a fallback", { precedence: "fallback", text: "own" }],
  [
    "the server's tool where the product's is out of service",
    { precedence: "fallback", run: unavailable, text: "a did echo" },
  ],
  [
    "what a function says",
    { precedence: ({ name }) => (name === "mcp_a_echo" ? "provider" : "static"), text: "a did echo" },
  ],
])("precedence of a name that a configured server has, too: %s", async (_, answer) => {
  const { precedence, run = () => "own", text, count = 1 } = answer;
  await using host = await createHost({
    connector: createFakeConnector(),
    servers: byName(servers),
    tools: [ownEcho(run)],
    ...(precedence !== undefined && { toolbox: { precedence } }),
  });
  expect(await host.call("mcp_a_echo")).toMatchObject({ content: [{ text }] });
  expect(host.tools().filter(({ name }) => name.startsWith("mcp_a_"))).toHaveLength(count);
});
