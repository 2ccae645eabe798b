import type { ToolDefinition } from "@toolport/core";

/** A name that a static tool and a provider both have. */
export interface NameClash {
  readonly name: string;
  readonly staticTool: ToolDefinition;
  /** Name of the provider. */
  readonly provider: string;
  readonly providerTool: ToolDefinition;
}

/**
 * Who answers to such a name: the static tool, the provider's, or `"fallback"`: the static tool, and the provider's when the
 * static one is out of service and a second call can do no harm.
 */
export type PrecedenceRule = "static" | "provider" | "fallback";

/** One rule for all names, or a rule per name. */
export type Precedence = PrecedenceRule | ((clash: NameClash) => PrecedenceRule);

/** What to do about one clash. Throws `TypeError` when a custom precedence answers something else. */
export function resolvePrecedence(precedence: Precedence, clash: NameClash): PrecedenceRule {
  const rule: unknown = typeof precedence === "function" ? precedence(clash) : precedence;
  if (rule === "static" || rule === "provider" || rule === "fallback") return rule;
  throw new TypeError(`precedence must be "static", "provider" or "fallback", not ${JSON.stringify(rule)}`);
}
