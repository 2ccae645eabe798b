import { describe, expect, it } from "vitest";
import {
  assignNames,
  evvaNaming,
  localNameOf,
  nexoNaming,
  hostsideNaming,
  verbatimNaming,
  type NamingStrategy,
} from "@hostside/naming";
import { allNames } from "./all-names.ts";

// Names that the systems which Hostside replaces are known to give, as literals: whoever moves over
// keeps them.
describe("names of the replaced systems", () => {
  it("keeps 64 characters, and cuts 65 to at most 64 with a hash of eight digits", () => {
    expect(nameOf(hostsideNaming, "s", "a".repeat(58))).toBe(`mcp_s_${"a".repeat(58)}`);
    expect(nameOf(hostsideNaming, "s", "a".repeat(59))).toMatch(new RegExp(`^mcp_s_a{49}_[0-9a-f]{8}$`));
    expect(nameOf(hostsideNaming, "server", "x".repeat(120))).toMatch(/^mcp_server_x{44}_[0-9a-f]{8}$/);
  });

  it("drops an underscore that falls on the cut", () => {
    expect(nameOf(hostsideNaming, "s", `${"a".repeat(48)}_${"b".repeat(20)}`)).toMatch(/^mcp_s_a{48}_[0-9a-f]{8}$/);
  });

  it("one remote name listed twice is one tool with one name", () => {
    const twice = { serverId: "s", toolName: "echo" };
    const { names, collisions } = assignNames([twice, { ...twice }]);
    expect(localNameOf(names, twice)).toBe("mcp_s_echo");
    expect([allNames(names).length, collisions.length]).toEqual([1, 0]);
  });

  it.each([
    ["github.com", "list", "mcp__github_com__list"],
    ["@scope/pkg", "list", "mcp___scope_pkg__list"],
    ["s", "emoji😀here", "mcp__s__emoji_here"],
    ["Fs", "readFile", "mcp__Fs__readFile"],
  ])("%s and %s give %s", (serverId, toolName, name) => {
    expect(nameOf(evvaNaming, serverId, toolName)).toBe(name);
  });

  it("the same shape has a bound, and collisions are told apart", () => {
    expect(nameOf(evvaNaming, "s", "x".repeat(100))).toHaveLength(64);
    const tools = ["a.b", "a b"].map((toolName) => ({ serverId: "s", toolName }));
    const { names } = assignNames(tools, { strategy: evvaNaming });
    expect(new Set(tools.map((tool) => localNameOf(names, tool))).size).toBe(2);
  });

  it.each([
    ["server", "x".repeat(120), `mcp_server_${"x".repeat(46)}_e4cea4`],
    [
      "files",
      "very_long_tool_name_that_goes_on_and_on_and_on_for_ever_and_ever",
      "mcp_files_very_long_tool_name_that_goes_on_and_on_and_on__d4e80d",
    ],
    ["s".repeat(80), "tool", `mcp_${"s".repeat(53)}_ed3bdc`],
    ["fs@v1", "read file", "mcp_fs_v1_read_file"],
  ])("%s and %s give %s", (serverId, toolName, name) => {
    expect(nameOf(nexoNaming, serverId, toolName)).toBe(name);
  });

  it.each(["search", "Get-Item", "a_b"])("%s stays as it is, without a prefix", (toolName) => {
    expect(nameOf(verbatimNaming, "any", toolName)).toBe(toolName);
  });
});

function nameOf(strategy: NamingStrategy, serverId: string, toolName: string): string | undefined {
  return localNameOf(assignNames([{ serverId, toolName }], { strategy }).names, { serverId, toolName });
}
