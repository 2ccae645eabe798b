import { selectorCovers } from "./compare-selectors.ts";
import type { Rule, RuleKind, RuleLayer } from "./rule.ts";

// What comes before a rule of each kind, whatever it is about.
const stronger: Readonly<Record<RuleKind, readonly RuleKind[]>> = {
  allow: ["deny", "requireApproval"],
  requireApproval: ["deny"],
  deny: [],
};

/**
 * Finds a rule that can never decide anything, because one other rule is for every tool that it is
 * for, and always comes before it; in words, or `undefined`. Says only what is sure: several rules
 * may leave nothing of another one together.
 */
export function findRuleConflict(layers: readonly RuleLayer[]): string | undefined {
  for (const layer of layers) {
    for (const rule of layer.rules) {
      // What entries of servers say is known later.
      if (rule.requireApproval !== undefined) continue;
      const winner = rulesBefore(rule, layer, layers).find((other) => selectorCovers(other, rule));
      if (winner === undefined) continue;
      return selectorCovers(rule, winner) && winner.kind !== rule.kind
        ? `${nameBoth(rule, winner)} contradict each other: they are for the same tools, ${quote(rule)}`
        : `${quoteRule(rule)} can never decide: all its tools are those of ${quoteRule(winner)}, too, and ${winner.kind} beats ${rule.kind}`;
    }
  }
  return undefined;
}

function rulesBefore(rule: Rule, own: RuleLayer, layers: readonly RuleLayer[]): readonly Rule[] {
  // The stricter answer of all layers counts, so that a `deny` for all comes before whatever a
  // stricter layer says.
  return layers.flatMap(({ scope, rules }) => {
    if (rules === own.rules) return rules.filter(({ kind }) => stronger[rule.kind].includes(kind));
    return scope === undefined ? rules.filter(({ kind }) => kind === "deny" && rule.kind !== "deny") : [];
  });
}

function nameBoth(rule: Rule, other: Rule): string {
  return `${label(rule)} and ${label(other)}`;
}

function quoteRule(rule: Rule): string {
  return `${label(rule)} (${quote(rule)})`;
}

function label({ name, place }: Rule): string {
  return name === place ? place : `${place} ${JSON.stringify(name)}`;
}

function quote({ text }: Rule): string {
  return text.startsWith("{") ? text : JSON.stringify(text);
}
