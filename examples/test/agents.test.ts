import type { McpProvider } from "@hostside/provider";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { scriptedMastra } from "../../packages/adapters/test/mock-mastra-model.ts";
import { scripted, type Turn } from "../../packages/adapters/test/mock-model.ts";
import { ask as askAiSdk } from "../src/frameworks/ai-sdk.ts";
import { ask as askMastra } from "../src/frameworks/mastra.ts";
import { conversationOf, startTwoServers } from "./two-servers.ts";

let provider: McpProvider;
beforeAll(async () => {
  provider = await startTwoServers();
});
afterAll(() => provider.close());

// What the model does: it looks for a tool, and calls what it found on two servers, once wrongly.
const turns: readonly Turn[] = [
  [["tools_select", { tools: ["mcp_every_get_tiny_image", "mcp_other_get_sum"] }]],
  [
    ["mcp_every_get_tiny_image", {}],
    ["mcp_other_get_sum", { a: 2, b: 3 }],
    ["mcp_other_get_sum", { a: "two" }],
  ],
  "five",
];

interface Request {
  readonly prompt: unknown;
  readonly tools?: readonly { readonly name: string }[] | undefined;
}

function expectTurns(requests: readonly Request[]): void {
  expect(requests).toHaveLength(3);
  const names = requests.map(({ tools = [] }) => tools.map(({ name }) => name));
  expect(names[0]).toContain("tools_select");
  expect(names[0]).not.toContain("mcp_other_get_sum");
  expect(names[1]).toEqual([...(names[0] ?? []), "mcp_every_get_tiny_image", "mcp_other_get_sum"]);
  expect(names[2]).toEqual(names[1]);
  const said = JSON.stringify(requests[2]?.prompt);
  expect(said).toContain('"iVBOR');
  expect(said).toContain("The sum of 2 and 3 is 5.");
  expect(said).toMatch(/"error-json","value":\{"message":"[^"]*(number|invalid)/i);
}

describe("frameworks with real servers", () => {
  it("the AI SDK finds tools, calls them and reads what they bring", async () => {
    const model = scripted(turns);
    expect(await askAiSdk(model, conversationOf(provider), "go")).toBe("five");
    expectTurns(model.doGenerateCalls);
  });

  it("an agent of Mastra does so", async () => {
    const { model, mock } = scriptedMastra(turns);
    expect(await askMastra(model, conversationOf(provider), "go")).toBe("five");
    expectTurns(mock.doGenerateCalls);
  });
});
