import type { Fields } from "@hostside/core/implement";
import type { ReadSelector, ToolSelector } from "./select-tools.ts";

/**
 * The decision on a tool: `"allow"` offers it and lets calls pass, `"approval"` offers it and has
 * each call approved, `"quarantine"` shows it to the host alone until somebody approves it,
 * `"deny"` hides it. From left to right each is stricter than the one before.
 */
export type RuleAction = "allow" | "approval" | "quarantine" | "deny";

/** Which tools a rule is about, and what people should know of it. */
export interface ToolRule extends ToolSelector {
  /** Its name in errors, events and explanations. Default: its place, such as `deny[2]`. */
  readonly name?: string | undefined;
  /** Why there is such a rule, as a clause; it reaches whoever is refused, the model among them. */
  readonly reason?: string | undefined;
}

/**
 * Rules of one kind: `"server/tool"` for short, or in full. A local name (`mcp_github_delete_repo`,
 * `mcp__fs__*`) is translated to the identity that it stands for, if
 * {@linkcode RuleOptions.servers} says which servers there are.
 */
export type ToolRules = string | ToolRule | readonly (string | ToolRule)[];

/**
 * Rules, and what becomes of a tool that none of them names. An empty list is no rule.
 *
 * Tools of the host itself that only read, such as `results_read`, get no default. Only rules that
 * name them hold for them: `"/results_read"`, `"/*"`.
 */
export interface RuleLists {
  readonly allow?: ToolRules | undefined;
  /** Beats `allow`. */
  readonly requireApproval?: ToolRules | undefined;
  /** Beats `requireApproval` and `allow`, however general it is and however particular they are. */
  readonly deny?: ToolRules | undefined;
  /** For a tool that no rule names. Default `"approval"`. */
  readonly defaultDecision?: RuleAction | undefined;
}

/**
 * Rules for the tools of some servers, beside those for all. A tool is judged by both, and the
 * stricter answer counts: what is allowed for all is not allowed here by that alone. For servers
 * that a user added at run time, or that a project's file brought: give them a label.
 */
export interface StricterRules extends RuleLists {
  /** Their name in errors and explanations. Default: their place, `stricter[0]`. */
  readonly name?: string | undefined;
  /** Ids of the servers. One of `server` and `labels` is needed. */
  readonly server?: string | readonly string[] | undefined;
  /** Labels of the servers, such as `"scope:project"`. */
  readonly labels?: string | readonly string[] | undefined;
  /** Default `"quarantine"`. */
  readonly defaultDecision?: RuleAction | undefined;
}

/**
 * Which tools are on offer. Without any of it, but for `servers`, there are no rules: every tool is
 * allowed.
 */
export interface RuleOptions extends RuleLists {
  readonly stricter?: readonly StricterRules[] | undefined;
  /**
   * Ids of the servers that local names in rules may mean. Default: rules have no local names.
   * `createHost()` adds those that it knows; list the ids of servers that come later.
   */
  readonly servers?: readonly string[] | undefined;
}

const listFields: Fields<RuleLists> = { allow: true, requireApproval: true, deny: true, defaultDecision: true };

/** The fields of {@linkcode RuleOptions}. */
export const ruleFields: Fields<RuleOptions> = { ...listFields, stricter: true, servers: true };

/** The fields of {@linkcode StricterRules}. */
export const stricterFields: Fields<StricterRules> = { name: true, server: true, labels: true, ...listFields };

/** The decisions, the least strict first. */
export const decisions: readonly RuleAction[] = ["allow", "approval", "quarantine", "deny"];

/** How strict a decision is: the larger, the stricter. */
export function strictnessOf(decision: RuleAction): number {
  return decisions.indexOf(decision);
}

/** A rule that was read. */
export interface Rule extends ReadSelector {
  readonly kind: RuleKind;
  /** Its name, or else its place. */
  readonly name: string;
  readonly place: string;
  readonly decision: RuleDecision;
}

/** The decision of the rules on a tool. */
export interface RuleDecision {
  readonly decision: RuleAction;
  readonly stage: "rules";
  /** The deciding rule: its name or place, or `defaultDecision`. */
  readonly rule: string;
  /**
   * A clause after the name of the tool:
   * `is denied by deny[2] ("github/delete_*"): it cannot be undone`.
   */
  readonly why: string;
}

/** The lists of rules. */
export type RuleKind = "allow" | "requireApproval" | "deny";

/** Rules that are judged together. */
export interface RuleLayer {
  /** `undefined`: for every tool. */
  readonly scope: ReadSelector | undefined;
  readonly name: string;
  /** In the order in which they decide: the first one that matches does. */
  readonly rules: readonly Rule[];
  /** For a tool that none of the rules names. */
  readonly byDefault: RuleDecision;
}

/**
 * Calls that somebody is asked about besides those that a rule or a definition (`requireApproval`)
 * wants approved: `"none"`, `"all"`, or those of some rules, such as
 * `{ tools: { effect: ["external", "non-idempotent-write"] } }`.
 */
export type ApprovalMode = "none" | "all" | { readonly tools: ToolRules };

/** The kinds, the one first that beats the others. */
export const ruleKinds: readonly RuleKind[] = ["deny", "requireApproval", "allow"];

/** A rule in words: its name or place, and what it is for. */
export function describeRule({ name, text }: Pick<Rule, "name" | "text">): string {
  return `${name} (${text.startsWith("{") ? text : JSON.stringify(text)})`;
}
