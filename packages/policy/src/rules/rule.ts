import type { RuleAction } from "./rule-options.ts";
import type { ReadSelector } from "./select-tools.ts";

/** A rule that was read. */
export interface Rule extends ReadSelector {
  readonly kind: RuleKind;
  /** Its name, or else its place. */
  readonly name: string;
  readonly place: string;
  readonly reason: string | undefined;
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
  readonly defaultDecision: RuleAction;
  /** What its default is called: `defaultDecision`, `stricter[0].defaultDecision`. */
  readonly defaultName: string;
}

/** The kinds, the one first that beats the others. */
export const ruleKinds: readonly RuleKind[] = ["deny", "requireApproval", "allow"];

/** What a rule of a list decides. */
export function decisionOf(kind: RuleKind): RuleAction {
  return kind === "requireApproval" ? "approval" : kind;
}

/** A rule in words: its name or place, and what it is for. */
export function describeRule({ name, text }: Rule): string {
  return `${name} (${text.startsWith("{") ? text : JSON.stringify(text)})`;
}
