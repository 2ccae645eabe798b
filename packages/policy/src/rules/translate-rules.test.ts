import type { ToolDefinition } from "@hostside/core";
import { assignNames, evvaNaming, localNameOf, nexoNaming, qualifiedName, hostsideNaming } from "@hostside/naming";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { test } from "../../../../test/property-test.ts";
import { readSelection } from "./select-tools.ts";
import { translateRules, type KnownTools } from "./translate-rules.ts";

const definition = (name: string, serverId: string, toolName: string): ToolDefinition => ({
  name,
  description: "",
  inputSchema: {},
  origin: { serverId, toolName, qualifiedName: qualifiedName({ serverId, toolName }) },
});

const rows: readonly (readonly [text: string, known: KnownTools, meaning: unknown])[] = [
  ["mcp_github_delete_repo", { servers: ["github", "fs"] }, { server: "github", tool: "delete_repo", spelling: "any" }],
  ["mcp_github_*", { servers: ["github"] }, { server: "github", tool: "*" }],
  ["mcp_my_files_read_*", { servers: ["My Files"] }, { server: "My Files", tool: "read_*", spelling: "any" }],
  ["mcp__fs__*", { servers: ["fs", "fs_2"] }, { server: "fs", tool: "*" }],
  ["mcp__fs__Read-File", { servers: ["fs"] }, { server: "fs", tool: "read-file", spelling: "any" }],
  ["mcp__fs", { servers: ["fs", "fs_2"] }, { server: "fs", tool: "*" }],
  ["mcp::fs::read", {}, { server: "fs", tool: "read" }],
  ["mcp::a%3A%3Ab::c::d", {}, { server: "a::b", tool: "c::d" }],
  ["mcp::fs", {}, { server: "fs", tool: "*" }],
  ["MCP_A_X", { definitions: [definition("mcp_a_x", "a", "X.")] }, { server: "a", tool: "X." }],
  ["mcp_a_x_0123abcd", { definitions: [definition("mcp_a_x_0123abcd", "a", "x")] }, { server: "a", tool: "x" }],
  [
    "own_tool",
    { definitions: [{ name: "own_tool", description: "", inputSchema: {} }] },
    { server: "", tool: "own_tool" },
  ],
  ["mcp_a_other", { definitions: [definition("mcp_a_x", "a", "x")] }, { server: "a", tool: "other", spelling: "any" }],
  ["mcp_other_x", { servers: ["a"] }, '"mcp_other_x" names no server that is known'],
  [
    "mcp_github_prod_x",
    { servers: ["github", "github_prod"] },
    '"mcp_github_prod_x" could be about the servers "github" and "github_prod"',
  ],
  ["mcp__a__b__c", { servers: ["a", "a__b"] }, '"mcp__a__b__c" could be about the servers "a" and "a__b"'],
  ["mcp_git*", { servers: ["github"] }, '"mcp_git*" has a "*" where the server is named; write "server/tool"'],
  ["mcp__*", { servers: ["a"] }, '"mcp__*" has a "*" where the server is named; write "server/tool"'],
  [
    "mcp_a_x_0123abcd",
    { servers: ["a"] },
    '"mcp_a_x_0123abcd" ends like a name with a hash; which tool has it is known by the definitions alone',
  ],
  ["mcp_a_", { servers: ["a"] }, '"mcp_a_" names no tool'],
  ["mcp::::x", {}, '"mcp::::x" is not "mcp::server::tool"'],
  [
    "mcp_a_x",
    { definitions: [definition("mcp_a_x", "a", "*")] },
    '"mcp_a_x" stands for a tool with a "*" in its name or that of its server, which a rule cannot say',
  ],
  ["x", { definitions: [definition("x", "a", "x"), definition("X", "b", "x")] }, '"x" is the name of 2 tools'],
  ["mcp_a_x", {}, '"mcp_a_x" names no server that is known'],
];

describe("translateRules()", () => {
  it.each(rows)("%s with %j", (text, known, meaning) => {
    const isProblem = typeof meaning === "string";
    expect(translateRules([text], known)).toEqual({
      rules: isProblem ? [] : [{ text, selector: meaning }],
      problems: isProblem ? [{ text, problem: meaning }] : [],
    });
  });

  const servers = ["github", "github_prod", "GitLab", "a__b", "a", "x.y"];
  const identity = fc.record({
    serverId: fc.constantFrom(...servers),
    toolName: fc.string({ unit: fc.constantFrom("a", "B", "_", "-", ".", "1", "list"), minLength: 1, maxLength: 6 }),
  });
  const naming = fc.constantFrom(hostsideNaming, evvaNaming, nexoNaming);

  test.prop([fc.array(identity, { minLength: 1, maxLength: 5 }), naming], { numRuns: 500 })(
    "never means another server's tool, and never misses the tool whose name it is",
    (tools, strategy) => {
      const { names } = assignNames(tools, { strategy, serverIds: servers });
      for (const tool of tools) {
        const name = localNameOf(names, tool) ?? "";
        const { rules, problems } = translateRules([name], { servers });
        expect(rules.length + problems.length).toBe(1);
        for (const { selector } of rules) {
          const matcher = readSelection(selector, "it");
          expect(matcher.matches({ ...tool, labels: {}, effect: "external" })).toBe(true);
          expect(selector.server).toBe(tool.serverId);
        }
      }
    },
  );
});
