import type { ToolDefinition, ToolProvider } from "@hostside/core";
import { createToolbox, type ToolboxView } from "@hostside/discovery";
import { getEncoding } from "js-tiktoken";
import { describe, expect, it } from "vitest";
import { readToolSet } from "./tool-set.ts";

const encoding = getEncoding("o200k_base");
const recorded = readToolSet()
  .filter(({ source }) => source === "recorded")
  .slice(0, 18);
const maxToolTokens = 8000;
// What the estimate may be wrong by.
const tolerance = 1.15;

/** The recorded servers as a provider that answers at once. */
function recordedProvider(): ToolProvider {
  const definitions = recorded.flatMap(({ tools }) => tools);
  const find = (name: string): ToolDefinition | undefined => definitions.find((tool) => tool.name === name);
  const end = Object.assign(() => {}, { [Symbol.dispose]: () => {} });
  return {
    name: "mcp",
    revision: 1,
    closed: false,
    tools: (names) => names?.flatMap((name) => find(name) ?? []) ?? definitions,
    groups: () => recorded.map(({ group }) => group),
    has: (name) => find(name) !== undefined,
    init: () => Promise.resolve(),
    refresh: () => Promise.resolve(),
    call(name) {
      const origin = find(name)?.origin ?? { serverId: "", toolName: name, qualifiedName: name };
      const content = [{ type: "text" as const, text: "done" }];
      return Promise.resolve({ content, isError: false, origin, raw: { content } });
    },
    onToolsChanged: () => end,
    close: () => Promise.resolve(),
  };
}

const countTokens = (value: unknown): number => encoding.encode(JSON.stringify(value)).length;

function countDeclared(view: ToolboxView): number {
  const declared = view.tools({ maxToolTokens });
  return declared.reduce(
    (sum, { name, description, inputSchema }) => sum + countTokens({ name, description, parameters: inputSchema }),
    0,
  );
}

/** What a model does in a longer conversation, in order: a helper and what it passes. */
const conversation: readonly (readonly [helper: string, input: Readonly<Record<string, string>>])[] = [
  ["tools_groups", { query: "*" }],
  ["tools_search", { query: "create issue github" }],
  ["tools_search", { query: "send a message to a channel" }],
  ["tools_search", { query: "read a file" }],
  ["tools_select", { group: "mcp:github" }],
  ["tools_search", { query: "scrape a web page" }],
  ["tools_search", { query: "list merge requests" }],
  ["tools_search", { query: "query database collection" }],
  ["tools_select", { group: "mcp:gitlab" }],
  ["tools_search", { query: "take a screenshot" }],
  ["tools_search", { query: "feature flag" }],
  ["tools_search", { query: "search pages notion" }],
  ["tools_select", { group: "mcp:mongodb" }],
];

describe("a conversation with 18 recorded servers and a budget of 8,000 tokens", () => {
  it("declares no more than that in any turn, and answers for less than it", async () => {
    const toolbox = createToolbox({ providers: [recordedProvider()] });
    const view = toolbox.view();
    expect(toolbox.estimateTokens()).toBeGreaterThan(10 * maxToolTokens);
    const answered = new Map<string, number[]>();
    for (const [helper, input] of conversation) {
      expect(countDeclared(view)).toBeLessThanOrEqual(maxToolTokens * tolerance);
      const { structuredContent } = await view.call(helper, input);
      answered.set(helper, [...(answered.get(helper) ?? []), countTokens(structuredContent)]);
    }
    expect(countDeclared(view)).toBeLessThanOrEqual(maxToolTokens * tolerance);
    for (const tokens of answered.get("tools_search") ?? []) expect(tokens).toBeLessThanOrEqual(1000 * tolerance);
    for (const tokens of answered.get("tools_select") ?? []) expect(tokens).toBeLessThanOrEqual(2000 * tolerance);
    // Nine searches, answers and all, stay under what is declared in one turn.
    const searches = answered.get("tools_search") ?? [];
    expect(searches).toHaveLength(9);
    expect(searches.reduce((sum, tokens) => sum + tokens, 0)).toBeLessThanOrEqual(maxToolTokens);
  });

  it("lets a model use every tool of every server, page by page", async () => {
    const view = createToolbox({ providers: [recordedProvider()] }).view();
    const usable = new Set(view.tools({ maxToolTokens }).map(({ name }) => name));
    for (const { group } of recorded) {
      let next: object | undefined = { group: group.id };
      while (next !== undefined) {
        const answer = await view.selectTools(next);
        for (const { name } of view.tools({ maxToolTokens })) usable.add(name);
        for (const { name, parameters } of answer.tools) if (parameters !== undefined) usable.add(name);
        next = answer.next;
      }
    }
    const all = recorded.flatMap(({ tools }) => tools.map(({ name }) => name));
    expect(all.filter((name) => !usable.has(name))).toEqual([]);
  });
});
