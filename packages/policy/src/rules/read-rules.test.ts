import { describe, expect, it } from "vitest";
import { readRules } from "./read-rules.ts";
import type { RuleOptions } from "./rule-options.ts";

describe("readRules()", () => {
  it("has no rules where there are none", () => {
    expect(readRules({})).toEqual([]);
    expect(readRules({ servers: ["a"], stricter: [] })).toEqual([]);
  });

  it.each<[string, unknown, string]>([
    [
      "a decision that is none",
      { defaultDecision: "hide" },
      'defaultDecision: "hide" is no decision; known are allow, approval, quarantine, deny',
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
      { allow: ["x/y", { tool: "delete_*", server: "github" }], deny: ["github/delete_*"] },
      'allow[1] and deny[0] contradict each other: they are for the same tools, {"tool":"delete_*","server":"github"}',
    ],
    [
      "the same tools asked for and allowed",
      { allow: "a/*", requireApproval: { server: "a", name: "careful" } },
      'allow and requireApproval "careful" contradict each other: they are for the same tools, "a/*"',
    ],
    [
      "a rule in the shadow of another one",
      { allow: ["github/delete_repo"], deny: [{ tool: "delete_*", name: "no deletes" }] },
      'allow[0] ("github/delete_repo") can never decide: all its tools are those of deny[0] "no deletes" ({"tool":"delete_*"}), too, and deny beats allow',
    ],
    [
      "requireApproval in the shadow of a deny",
      { requireApproval: "a/b", deny: "*/*" },
      'requireApproval ("a/b") can never decide: all its tools are those of deny ("*/*"), too, and deny beats requireApproval',
    ],
    [
      "a stricter rule in the shadow of a deny for all",
      { deny: "*/drop", stricter: [{ labels: "scope:project", requireApproval: ["a/drop"] }] },
      'stricter[0].requireApproval[0] ("a/drop") can never decide: all its tools are those of deny ("*/drop"), too, and deny beats requireApproval',
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
