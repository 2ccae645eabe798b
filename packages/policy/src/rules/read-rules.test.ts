import { describe, expect, it } from "vitest";
import { readRules } from "./read-rules.ts";
import type { ApprovalMode, RuleOptions } from "./rule-options.ts";

describe("readRules()", () => {
  it("has no rules where there are none", () => {
    expect(readRules({})).toEqual([]);
    expect(readRules({ servers: ["a"], stricter: [] })).toEqual([]);
  });

  it.each<[string, unknown, string]>([
    [
      "a decision that is none",
      { defaultDecision: "hide" },
      'defaultDecision: "hide" is none of allow, approval, quarantine, deny',
    ],
    [
      "an effect that is none",
      { requireApproval: [{ effect: "write" }] },
      'requireApproval[0].effect: "write" is no effect',
    ],
    ["a rule that is neither", { deny: ["a/b", 1] }, 'deny[1] must be "server/tool" or an object, not a number'],
    ["a name that is blank", { deny: [{ tool: "a", name: " " }] }, "deny[0].name must be a text that is not blank"],
    ["a reason that is none", { deny: { tool: "a", reason: 1 } }, "deny.reason must be a text that is not blank"],
    ["servers that are none", { servers: "a" }, "servers must be a list of server ids"],
    [
      "stricter rules for nobody",
      { stricter: [{ deny: "a/*" }] },
      "stricter[0] must say which servers it is for, by server or labels",
    ],
    [
      "stricter rules with an unknown field",
      { stricter: [{ labels: "scope:project", default: "deny" }] },
      'stricter[0] has no option "default"; known are name, server, labels, allow, requireApproval, deny, defaultDecision',
    ],
    ["stricter rules that are none", { stricter: {} }, "stricter must be a list"],
    [
      "a local name without servers",
      { deny: "mcp_github_delete_repo" },
      'deny: "mcp_github_delete_repo" names no server that is known; give the ids of your servers in servers, or write "server/tool"',
    ],
    [
      "a local name that could be of two servers",
      { deny: ["mcp_github_*"], servers: ["github_prod", "github"] },
      'deny[0]: "mcp_github_*" could be about the servers "github" and "github_prod"',
    ],
    [
      "the same tools allowed and denied",
      { allow: ["x/y", "github/delete_*"], deny: ["github/delete_*"] },
      "deny[0] and allow[1] contradict each other: both are for github/delete_*",
    ],
  ])("refuses %s", (_, options, message) => {
    // Of a caller without types.
    expect(() => readRules(options as RuleOptions)).toThrow(new TypeError(message));
  });

  it.each<[string, RuleOptions]>([
    ["a general allow beside a particular deny", { allow: "github/*", deny: "github/delete_*" }],
    ["two denies, one in the other", { deny: ["a/*", "a/b"] }],
    [
      "an allow that two denies leave nothing of, which is more than can be told",
      { allow: "a/*", deny: ["a/a*", "a/*b"] },
    ],
    ["an allow for all beside a stricter deny", { allow: "a/*", stricter: [{ labels: "scope:project", deny: "a/*" }] }],
    [
      "the same id with and without a label",
      { allow: { server: "a" }, requireApproval: { server: "a", labels: "scope:project" } },
    ],
  ])("takes %s", (_, options) => {
    expect(() => readRules(options)).not.toThrow();
  });
});

describe("approval.mode", () => {
  it("is a rule, which may be written as all others", () => {
    const texts = (mode: ApprovalMode): unknown =>
      readRules({ servers: ["fs"] }, mode).map(({ rules }) =>
        rules.map(({ name, servers, tools }) => [name, servers, tools]),
      );
    expect(texts("none")).toEqual([]);
    expect(texts("all")).toEqual([[["approval.mode", undefined, undefined]]]);
    expect(texts({ tools: ["a:b/issues/Get", "mcp::a%3Ab::*", "mcp__fs__read"] })).toEqual([
      [
        ["approval.mode.tools[0]", ["a:b"], ["issues/Get"]],
        ["approval.mode.tools[1]", ["a:b"], ["*"]],
        ["approval.mode.tools[2]", ["fs"], ["read"]],
      ],
    ]);
  });

  it.each<[unknown, string]>([
    ["some", 'approval.mode: "some" is none'],
    [{}, "approval.mode names no tool"],
    [{ names: ["x"] }, 'approval.mode has no option "names"'],
    [() => "all", "approval.mode takes its options as an object"],
    [{ tools: { effect: "writes" } }, "approval.mode.tools"],
  ])("throws a TypeError that names the place: %j", (mode, message) => {
    expect(() => readRules({}, mode as ApprovalMode)).toThrow(TypeError);
    expect(() => readRules({}, mode as ApprovalMode)).toThrow(message);
  });
});
