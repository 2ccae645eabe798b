import { strictnessOf, type RuleAction } from "./rule-options.ts";
import { decisionOf, describeRule, type Rule, type RuleLayer } from "./rule.ts";
import type { ReadSelector } from "./select-tools.ts";
import type { ToolSubject } from "./tool-subject.ts";

/** What the rules say of a tool. */
export interface RuleDecision {
  readonly decision: RuleAction;
  /** What decides: the name of a rule or its place, or `defaultDecision`. */
  readonly rule: string;
  /**
   * A clause after the name of the tool:
   * `is denied by deny[2] ("github/delete_*"): it cannot be undone`.
   */
  readonly why: string;
}

/** How one layer judges a tool. */
export interface LayerDecision extends RuleDecision {
  readonly layer: RuleLayer;
  /**
   * The rules that match, the one that decides first, and then in the order in which they would
   * decide if it were not there.
   */
  readonly matching: readonly Rule[];
}

const allowed: RuleDecision = { decision: "allow", rule: "", why: "is allowed, because there are no rules" };
const ownReader: RuleDecision = {
  ...allowed,
  why: "is allowed, because it is on no server, it only reads, and no rule names it",
};

/**
 * What the rules say of a tool: pure, and the only place where it is decided. In each layer `deny`
 * beats `requireApproval` beats `allow`, and what no rule names gets the layer's default; of all
 * layers that the tool is in, the strictest answer counts. `approved`: somebody has approved the
 * tool as it is, so that a quarantine by default is over.
 *
 * A tool on no server that only reads, such as `results_read`, gets no default. Only rules that
 * name it hold for it.
 */
export function decide(layers: readonly RuleLayer[], subject: ToolSubject, approved: boolean): RuleDecision {
  let strictest: RuleDecision | undefined;
  for (const layer of layers) {
    const found = decideIn(layer, subject, approved);
    if (found === undefined) continue;
    if (strictest === undefined || strictnessOf(found.decision) > strictnessOf(strictest.decision)) strictest = found;
  }
  return strictest ?? (layers.length > 0 && isOwnReader(subject) ? ownReader : allowed);
}

/**
 * How each layer that the tool is in judges it. The first strictest one is what {@linkcode decide}
 * answers.
 */
export function decideByLayer(
  layers: readonly RuleLayer[],
  subject: ToolSubject,
  approved: boolean,
): readonly LayerDecision[] {
  return layers.flatMap((layer) => decideIn(layer, subject, approved) ?? []);
}

/** Finds the deny that names a request, whose method stands for a tool. A default is for tools. */
export function findDeny(layers: readonly RuleLayer[], subject: ToolSubject): RuleDecision | undefined {
  return decideByLayer(layers, subject, true).find(({ matching: [rule] }) => rule?.kind === "deny");
}

/** Whether this is a tool of the host itself that only reads. */
function isOwnReader({ serverId, effect }: ToolSubject): boolean {
  return serverId === "" && effect === "pure";
}

/** Whether a selector is for a tool; one about servers is not for the host's own reading tools. */
function isFor(selector: ReadSelector, subject: ToolSubject): boolean {
  if (!selector.matches(subject)) return false;
  if (!isOwnReader(subject)) return true;
  return selector.servers?.includes("") !== false || selector.tools?.includes(subject.toolName) === true;
}

/** `undefined` for a tool that the layer is not about. */
function decideIn(layer: RuleLayer, subject: ToolSubject, approved: boolean): LayerDecision | undefined {
  if (layer.scope !== undefined && !isFor(layer.scope, subject)) return undefined;
  const matching = layer.rules.filter((rule) => isFor(rule, subject));
  const [decider] = matching;
  if (decider === undefined && isOwnReader(subject)) return undefined;
  if (decider !== undefined) {
    const { kind, name, reason } = decider;
    const decision = decisionOf(kind);
    return {
      decision,
      rule: name,
      why: `is ${participle[decision]} by ${describeRule(decider)}${because(reason)}`,
      layer,
      matching,
    };
  }
  const { defaultDecision, defaultName: rule } = layer;
  if (defaultDecision === "quarantine" && approved) {
    return { decision: "allow", rule, why: `is allowed, because somebody approved it as it is`, layer, matching };
  }
  const why = `is ${participle[defaultDecision]} by ${rule} (${JSON.stringify(defaultDecision)}), because no rule names it`;
  return { decision: defaultDecision, rule, why, layer, matching };
}

const participle: Readonly<Record<RuleAction, string>> = {
  allow: "allowed",
  approval: "to be approved at each call",
  quarantine: "held back",
  deny: "denied",
};

function because(reason: string | undefined): string {
  return reason === undefined ? "" : `: ${reason}`;
}
