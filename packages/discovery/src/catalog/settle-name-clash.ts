import type { ToolDefinition } from "@hostside/core";
import { kindOf, quoteText } from "@hostside/core/implement";
import type { ProviderRoute, ToolboxTool } from "./toolbox-catalog.ts";

/** A name that a static tool and a provider both have. */
export interface NameClash {
  readonly name: string;
  readonly staticTool: ToolDefinition;
  /** Name of the provider. */
  readonly provider: string;
  readonly providerTool: ToolDefinition;
}

/**
 * The owner of such a name: the static tool, the provider's, or `"fallback"`: the static tool,
 * and the provider's when the static one is out of service and a second call can do no harm.
 */
export type PrecedenceRule = "static" | "provider" | "fallback";

/** One rule for all names, or a rule per name. */
export type Precedence = PrecedenceRule | ((clash: NameClash) => PrecedenceRule);

/** The winner, in words. */
export const verdicts: Readonly<Record<PrecedenceRule, string>> = {
  static: "the first",
  provider: "the provider's",
  fallback: "the static one, with a fallback,",
};

/**
 * Decides the owner of a name that one more provider has. Between providers the first wins,
 * whatever the policy: it is about the product's own tools. Throws `TypeError` when a custom
 * precedence answers no rule.
 */
export function settleNameClash(owner: ToolboxTool, route: ProviderRoute, precedence: Precedence): PrecedenceRule {
  if (owner.route.kind === "provider" || owner.fallback !== undefined) return "static";
  if (typeof precedence !== "function") return assertRule(precedence);
  const { definition: staticTool } = owner;
  const { definition: providerTool, provider } = route;
  return assertRule(precedence({ name: staticTool.name, staticTool, provider: provider.name, providerTool }));
}

/** Throws a `TypeError` for what is no precedence. */
export function assertPrecedence(precedence: unknown): void {
  if (typeof precedence !== "function") assertRule(precedence);
}

function assertRule(rule: unknown): PrecedenceRule {
  if (rule === "static" || rule === "provider" || rule === "fallback") return rule;
  throw new TypeError(
    `precedence must be "static", "provider" or "fallback", not ${typeof rule === "string" ? quoteText(rule, 40) : kindOf(rule)}`,
  );
}
