import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { test } from "../../../../test/property-test.ts";
import { decide } from "./decide.ts";
import { readRules } from "./read-rules.ts";
import {
  decisions,
  strictnessOf,
  type RuleAction,
  type RuleOptions,
  type ToolRule,
  type RuleLayer,
} from "./rule-options.ts";
import { toolEffects } from "../effects/create-effects.ts";
import type { ToolSubject } from "./tool-subject.ts";

const tool = (serverId: string, toolName: string, more: Partial<ToolSubject> = {}): ToolSubject => ({
  serverId,
  toolName,
  labels: {},
  effect: "external",
  ...more,
});
const decisionOf = (options: RuleOptions, subject: ToolSubject, approved = false): string =>
  decide(readRules(options), subject, approved).decision;

describe("decide()", () => {
  it("lets deny beat ask beat allow, however particular they are", () => {
    const options: RuleOptions = {
      allow: ["github/*", "gitlab/read"],
      requireApproval: "*/delete_*",
      deny: [{ tool: "*_repo", labels: "scope:*" }],
      defaultDecision: "deny",
    };
    expect(decisionOf(options, tool("github", "read"))).toBe("allow");
    expect(decisionOf(options, tool("github", "delete_repo"))).toBe("approval");
    expect(decisionOf(options, tool("github", "delete_repo", { labels: { scope: "user" } }))).toBe("deny");
    expect(decisionOf(options, tool("gitlab", "write"))).toBe("deny");
  });

  it("asks for what no rule names, unless told otherwise", () => {
    expect(decisionOf({ allow: "a/*" }, tool("b", "x"))).toBe("approval");
    expect(decisionOf({ deny: "a/*" }, tool("b", "x"))).toBe("approval");
    for (const defaultDecision of decisions) {
      expect(decisionOf({ allow: "a/*", defaultDecision }, tool("b", "x"))).toBe(defaultDecision);
    }
    expect(decisionOf({}, tool("b", "x"))).toBe("allow");
  });

  it("reads globs and local names of other systems", () => {
    const options: RuleOptions = { allow: "mcp__fs__read_*", deny: ["mcp__fs__*_all"], servers: ["fs", "github"] };
    expect(decisionOf(options, tool("fs", "read_file"))).toBe("allow");
    expect(decisionOf(options, tool("fs", "read_all"))).toBe("deny");
    expect(decisionOf(options, tool("fs", "Read-All"))).toBe("deny");
    expect(decisionOf(options, tool("fs_2", "read_all"))).toBe("approval");
  });

  it("quarantines by default until somebody approves, and an approval lifts nothing else", () => {
    expect(decisionOf({ defaultDecision: "quarantine" }, tool("a", "x"))).toBe("quarantine");
    expect(decisionOf({ defaultDecision: "quarantine" }, tool("a", "x"), true)).toBe("allow");
    expect(decisionOf({ defaultDecision: "quarantine", deny: "a/x" }, tool("a", "x"), true)).toBe("deny");
    expect(decisionOf({ defaultDecision: "approval" }, tool("a", "x"), true)).toBe("approval");
    expect(decisionOf({ defaultDecision: "deny" }, tool("a", "x"), true)).toBe("deny");
  });

  it("does not let a project's file take over what is allowed for a server of the same id", () => {
    const options: RuleOptions = {
      allow: "github/*",
      stricter: [{ labels: "scope:project", name: "project files", allow: "*/read" }],
    };
    const labels = { scope: "project" };
    expect(decisionOf(options, tool("github", "push"))).toBe("allow");
    expect(decisionOf(options, tool("github", "push", { labels }))).toBe("quarantine");
    expect(decisionOf(options, tool("github", "push", { labels }), true)).toBe("allow");
    // Allowed there, and still to be asked for, as for all.
    expect(decisionOf(options, tool("other", "read", { labels }))).toBe("approval");
    expect(decide(readRules(options), tool("github", "push", { labels }), false)).toMatchObject({
      rule: "project files.defaultDecision",
      why: 'is held back by project files.defaultDecision ("quarantine"), because no rule names it',
    });
  });

  it("names the first of the rules that decide, and its reason", () => {
    const keep = { server: "github", tool: "delete_repo", name: "keep repos", reason: "it cannot be undone" };
    expect(decide(readRules({ deny: [keep, "*/*_repo"] }), tool("github", "delete_repo"), false)).toMatchObject({
      decision: "deny",
      rule: "keep repos",
      why: 'is denied by keep repos ({"server":"github","tool":"delete_repo"}): it cannot be undone',
    });
  });
});

const name = fc.constantFrom("*", "a", "b", "a*", "*b", "ab");
const rule: fc.Arbitrary<ToolRule> = fc.record(
  {
    server: name,
    tool: fc.oneof(name, fc.array(name, { minLength: 1, maxLength: 2 })),
    labels: fc.constantFrom("scope:user", "scope:project", "scope:*"),
    effect: fc.constantFrom(...toolEffects),
  },
  { requiredKeys: [] },
);
const rules = fc.array(rule, { maxLength: 3 });
const lists = { allow: rules, requireApproval: rules, deny: rules, defaultDecision: fc.constantFrom(...decisions) };
const ruleOptions = fc
  .record({
    ...lists,
    stricter: fc.array(fc.record({ ...lists, labels: fc.constantFrom("scope:user", "scope:project", "scope:*") }), {
      maxLength: 2,
    }),
  })
  .filter((options) => read(options) !== undefined);

const subjects: readonly ToolSubject[] = ["", "a", "b", "ab", "c"].flatMap((serverId) =>
  ["a", "b", "ab", "c"].flatMap((toolName) =>
    [{}, { scope: "user" }, { scope: "project" }].flatMap((labels) =>
      toolEffects.map((effect) => ({ serverId, toolName, labels, effect })),
    ),
  ),
);

function read(options: RuleOptions): readonly RuleLayer[] | undefined {
  try {
    return readRules(options);
  } catch {
    return undefined;
  }
}

/** Of each subject, the decision. */
function decideAll(options: RuleOptions, approved: boolean): readonly RuleAction[] | undefined {
  const layers = read(options);
  return layers && subjects.map((subject) => decide(layers, subject, approved).decision);
}

/** Whether nothing got less strict from the first to the second. */
function isStricter(before: readonly RuleAction[], after: readonly RuleAction[]): boolean {
  return before.every((decision, index) => strictnessOf(after[index] ?? "allow") >= strictnessOf(decision));
}

describe("precedence", () => {
  test.prop([ruleOptions, fc.nat(100), fc.boolean()])(
    "does not depend on the order of rules",
    (options, turn, approved) => {
      const rotate = <T>(list: readonly T[]): readonly T[] => {
        const at = list.length === 0 ? 0 : turn % list.length;
        return [...list.slice(at), ...list.slice(0, at)].toReversed();
      };
      const turned = {
        ...options,
        allow: rotate(options.allow),
        requireApproval: rotate(options.requireApproval),
        deny: rotate(options.deny),
        stricter: rotate(options.stricter),
      };
      expect(decideAll(turned, approved)).toEqual(decideAll(options, approved));
    },
  );

  test.prop([ruleOptions, rule, fc.boolean()])(
    "lets one more deny, anywhere, only take away",
    (options, more, approved) => {
      const before = decideAll(options, approved) ?? [];
      const after = decideAll({ ...options, deny: [...options.deny, more] }, approved);
      if (after !== undefined) expect(isStricter(before, after)).toBe(true);
      const [first, ...others] = options.stricter;
      if (first === undefined) return;
      const stricter = decideAll(
        { ...options, stricter: [{ ...first, deny: [...first.deny, more] }, ...others] },
        approved,
      );
      if (stricter !== undefined) expect(isStricter(before, stricter)).toBe(true);
    },
  );

  test.prop([ruleOptions, rule, fc.boolean()])("lets one more allow only give", (options, more, approved) => {
    const after = decideAll({ ...options, allow: [...options.allow, more] }, approved);
    if (after !== undefined) expect(isStricter(after, decideAll(options, approved) ?? [])).toBe(true);
  });

  test.prop([ruleOptions, ruleOptions, fc.boolean()])(
    "lets stricter rules only take away",
    (options, more, approved) => {
      const [added] = more.stricter;
      fc.pre(added !== undefined);
      const after = decideAll({ ...options, stricter: [...options.stricter, added] }, approved);
      if (after !== undefined) expect(isStricter(decideAll(options, approved) ?? [], after)).toBe(true);
    },
  );

  test.prop([ruleOptions])("lets an approval only give, and only what was in quarantine", (options) => {
    const [before, after] = [decideAll(options, false) ?? [], decideAll(options, true) ?? []];
    expect(isStricter(after, before)).toBe(true);
    for (const [index, decision] of before.entries())
      if (decision !== "quarantine") expect(after[index]).toBe(decision);
  });

  test.prop([ruleOptions])("denies what a deny names, whatever else names it", (options) => {
    const layers = readRules(options);
    const denies = layers.filter(({ scope }) => scope === undefined).flatMap((layer) => layer.rules);
    for (const subject of subjects) {
      // Of the host's own reading tools, those that a rule about servers would catch by its "*".
      const isFor = ({ servers, tools }: (typeof denies)[number]): boolean =>
        subject.serverId !== "" ||
        subject.effect !== "pure" ||
        servers?.includes("") !== false ||
        tools?.includes(subject.toolName) === true;
      if (!denies.some((one) => one.kind === "deny" && one.matches(subject) && isFor(one))) continue;
      expect(decide(layers, subject, true).decision).toBe("deny");
    }
  });
});
