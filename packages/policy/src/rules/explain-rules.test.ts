import { describe, expect, it } from "vitest";
import { explainRules } from "./explain-rules.ts";
import { readRules } from "./read-rules.ts";
import type { RuleOptions } from "./rule-options.ts";

const explain = (options: RuleOptions, labels: Readonly<Record<string, string>> = {}): readonly string[] =>
  explainRules(readRules(options), { serverId: "github", toolName: "delete_repo", labels, effect: "external" }, false);

describe("explainRules()", () => {
  it("has nothing to say where there are no rules", () => {
    expect(explain({})).toEqual([]);
  });

  it("says which rule decides, which others match, and what would change it", () => {
    expect(
      explain({ allow: "github/*", requireApproval: { tool: "delete_*", name: "careful" }, deny: "*/*_repo" }),
    ).toEqual([
      'By the rules it is denied by deny ("*/*_repo").',
      'Of the rules for all tools these match, in the order in which they decide: deny ("*/*_repo"), careful ({"tool":"delete_*"}), allow ("github/*").',
      "To change it, change or remove deny: nothing beats a deny.",
    ]);
  });

  it("says how to name a tool that no rule names", () => {
    expect(explain({ allow: "x/*" })).toEqual([
      'By the rules it is to be approved at each call by defaultDecision ("approval"), because no rule names it.',
      'To change it, put "github/delete_repo" into allow or requireApproval.',
    ]);
  });

  it("tells the rules for all from stricter ones", () => {
    expect(explain({ requireApproval: "x/*", stricter: [{ labels: "scope:project" }] }, { scope: "project" })).toEqual([
      'By the rules it is held back by stricter[0].defaultDecision ("quarantine"), because no rule names it.',
      'Of the rules for all tools none names it; there it is to be approved at each call by defaultDecision ("approval"), because no rule names it.',
      'To change it, put "github/delete_repo" into allow or requireApproval of stricter[0], or approve it; one other set of rules would have to let it, too.',
    ]);
  });

  it("leaves it at one sentence for what is allowed", () => {
    expect(explain({ allow: "github/*" })).toEqual(['By the rules it is allowed by allow ("github/*").']);
  });
});
