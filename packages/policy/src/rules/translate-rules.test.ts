import { assignNames, evvaNaming, localNameOf, nexoNaming, hostsideNaming } from "@hostside/naming";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { test } from "../../../../test/property-test.ts";
import { readSelector } from "./select-tools.ts";
import { translateRule } from "./read-rules.ts";

const rows: readonly (readonly [text: string, servers: readonly string[] | undefined, meaning: unknown])[] = [
  ["mcp_github_delete_repo", ["github", "fs"], { server: "github", tool: "delete_repo" }],
  ["mcp_github_*", ["github"], { server: "github", tool: "*" }],
  ["mcp_my_files_read_*", ["My Files"], { server: "My Files", tool: "read_*" }],
  ["mcp__fs__*", ["fs", "fs_2"], { server: "fs", tool: "*" }],
  ["mcp__fs__Read-File", ["fs"], { server: "fs", tool: "read-file" }],
  ["mcp__fs", ["fs", "fs_2"], { server: "fs", tool: "*" }],
  ["mcp__later__*", ["fs"], { server: "later", tool: "*" }],
  ["mcp_other_x", ["a"], '"mcp_other_x" names no server that is known'],
  [
    "mcp_github_prod_x",
    ["github", "github_prod"],
    '"mcp_github_prod_x" could be about the servers "github" and "github_prod"',
  ],
  ["mcp__a__b__c", ["a", "a__b"], '"mcp__a__b__c" could be about the servers "a" and "a__b"'],
  ["mcp_git*", ["github"], '"mcp_git*" has a "*" where the server is named; write "server/tool"'],
  ["mcp__*", ["a"], '"mcp__*" has a "*" where the server is named; write "server/tool"'],
  [
    "mcp_a_x_0123abcd",
    ["a"],
    '"mcp_a_x_0123abcd" ends like a name with a hash, which does not tell its tool; write "server/tool"',
  ],
  ["mcp_a_", ["a"], '"mcp_a_" names no tool'],
  ["mcp_a_x", undefined, '"mcp_a_x" names no server that is known'],
];

describe("translateRule()", () => {
  it.each(rows)("%s with %j", (text, servers, meaning) => {
    expect(translateRule(text, servers)).toMatchObject(
      typeof meaning === "string" ? { problem: meaning } : { selector: meaning },
    );
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
        const translated = translateRule(name, servers);
        if (!("selector" in translated)) continue;
        const { selector, loosely } = translated;
        const matcher = readSelector(selector, "it", loosely);
        expect(matcher.matches({ ...tool, labels: {}, effect: "external" })).toBe(true);
        expect(selector.server).toBe(tool.serverId);
      }
    },
  );
});
