import { strictnessOf, type RuleDecision, type RuleLayer } from "./rule-options.ts";
import type { ReadSelector } from "./select-tools.ts";
import type { ToolSubject } from "./tool-subject.ts";

const allowed: RuleDecision = {
  decision: "allow",
  stage: "rules",
  rule: "",
  why: "is allowed, because there are no rules",
};
const ownReader: RuleDecision = {
  ...allowed,
  why: "is allowed, because it is on no server, it only reads, and no rule names it",
};

/**
 * Decides by the rules on a tool: pure, and the only place where it is decided. In each layer
 * `deny` beats `requireApproval` beats `allow`, and what no rule names gets the layer's default; of
 * all layers that the tool is in, the strictest answer counts. `approved`: somebody has approved
 * the tool as it is, so that a quarantine by default is over.
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

/** The `deny` that holds for a tool, by name; a `defaultDecision` is none. */
export function findDeny(layers: readonly RuleLayer[], subject: ToolSubject): RuleDecision | undefined {
  return layers
    .map((layer) => decideIn({ ...layer, byDefault: allowed }, subject, true))
    .find((found) => found?.decision === "deny");
}

function isOwnReader({ serverId, effect }: ToolSubject): boolean {
  return serverId === "" && effect === "pure";
}

/**
 * Tells whether a selector is for a tool; one about servers is not for the host's own reading
 * tools.
 */
function isFor(selector: ReadSelector, subject: ToolSubject): boolean {
  if (!selector.matches(subject)) return false;
  if (!isOwnReader(subject)) return true;
  return selector.servers?.includes("") !== false || selector.tools?.includes(subject.toolName) === true;
}

/** `undefined` for a tool that the layer is not about. */
function decideIn(layer: RuleLayer, subject: ToolSubject, approved: boolean): RuleDecision | undefined {
  if (layer.scope !== undefined && !isFor(layer.scope, subject)) return undefined;
  // All of them, because a rule that matches is noted.
  const [decider] = layer.rules.filter((rule) => isFor(rule, subject));
  if (decider !== undefined) return decider.decision;
  if (isOwnReader(subject)) return undefined;
  const { byDefault } = layer;
  if (byDefault.decision !== "quarantine" || !approved) return byDefault;
  return { ...byDefault, decision: "allow", why: "is allowed, because somebody approved it as it is" };
}
