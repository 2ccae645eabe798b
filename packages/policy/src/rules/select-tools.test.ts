import { describe, expect, it } from "vitest";
import { readSelection, readSelector, type ToolSelection } from "./select-tools.ts";
import type { ToolSubject } from "./tool-subject.ts";

const tool = (serverId: string, toolName: string, more: Partial<ToolSubject> = {}): ToolSubject => ({
  serverId,
  toolName,
  labels: {},
  effect: "external",
  ...more,
});

describe("readSelection()", () => {
  it.each<[ToolSelection, ToolSubject, boolean]>([
    ["github/*", tool("github", "x"), true],
    ["github/*", tool("github_prod", "x"), false],
    ["github/*", tool("GitHub", "x"), false],
    ["*/delete_*", tool("any", "delete_repo"), true],
    ["*/delete_*", tool("any", "Delete_repo"), false],
    ["a/b/c", tool("a", "b/c"), true],
    ["/own", tool("", "own"), true],
    [{ server: "a/b", tool: "c" }, tool("a/b", "c"), true],
    ["mcp::repo::issues/get", tool("repo", "issues/get"), true],
    ["mcp::repo::issues/get", tool("mcp::repo::issues", "get"), false],
    ["mcp::a/b::x*", tool("a/b", "xy"), true],
    ["mcp::a%3A%3Ab::c::d", tool("a::b", "c::d"), true],
    ["mcp::a::b", tool("a:b", "b"), false],
    ["mcp::fs", tool("fs", "any"), true],
    ["mcp::fs", tool("fs2", "any"), false],
    [["b/x", "mcp::a::x"], tool("a", "x"), true],
    [{ server: ["a", "b"] }, tool("b", "x"), true],
    [[{ server: "a" }, "b/x"], tool("b", "x"), true],
    [{ labels: "scope:project" }, tool("a", "x", { labels: { scope: "project" } }), true],
    [{ labels: "scope:*" }, tool("a", "x"), false],
    [{ labels: "constructor:*" }, tool("a", "x"), false],
    [{ labels: ["scope:project", "trust:*"] }, tool("a", "x", { labels: { scope: "project" } }), false],
    [{ effect: ["pure", "external"] }, tool("a", "x"), true],
    [{ effect: "pure" }, tool("a", "x"), false],
    [{}, tool("", "x"), true],
  ])("%j of %j: %s", (selection, subject, expected) => {
    expect(readSelection(selection, "it").matches(subject)).toBe(expected);
  });

  it.each([
    ["delete_repo", "Delete-Repo", true],
    ["delete_repo", "delete_repos", false],
    ["x3d_*", "3D print", true],
  ])("%s of a local name is %s: %s", (glob, toolName, expected) => {
    expect(readSelector({ tool: glob }, "it", true).matches(tool("a", toolName))).toBe(expected);
  });

  it.each<[unknown, string]>([
    [[], "deny selects no tool: the list is empty"],
    ["github", 'deny: "github" is not "server/tool"; did you mean "github/*", or "/github" for a tool of your own?'],
    [{ tools: "x" }, 'deny has no option "tools"; did you mean tool?'],
    [{ server: [] }, "deny.server is an empty list"],
    [{ server: 1 }, "deny.server must be a text or a list of texts"],
    [{ labels: "scope" }, 'deny.labels: "scope" is not "name:value"'],
    [{ effect: "write" }, 'deny.effect: "write" is no effect'],
    ["github/", "deny can match no tool: every tool has a name"],
    [{ server: "", labels: "scope:*" }, "deny can match no tool: a tool that is on no server has no labels"],
    ["mcp::::x/y", 'deny: "mcp::::x/y" is not "mcp::server::tool"'],
    ["mcp::a::", 'deny: "mcp::a::" is not "mcp::server::tool"'],
    [["a/b", { effect: ["pure", "none"] }], 'deny[1].effect: "none" is no effect'],
    [null, 'deny must be "server/tool" or an object, not null'],
  ])("refuses %j", (selection, message) => {
    // Of a caller without types.
    expect(() => readSelection(selection as ToolSelection, "deny")).toThrow(new TypeError(message));
  });
});
