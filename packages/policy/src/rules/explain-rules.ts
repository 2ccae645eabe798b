import { decide, decideByLayer, type LayerDecision } from "./decide.ts";
import { strictnessOf } from "./rule-options.ts";
import { decisionOf, describeRule, type RuleLayer } from "./rule.ts";
import type { ToolSubject } from "./tool-subject.ts";

/**
 * What the rules say of a tool, which of them match, and what would change the answer; in
 * sentences. None where there are no rules.
 */
export function explainRules(layers: readonly RuleLayer[], subject: ToolSubject, approved: boolean): readonly string[] {
  if (layers.length === 0) return [];
  const byLayer = decideByLayer(layers, subject, approved);
  const { decision, rule, why } = decide(layers, subject, approved);
  const decisive = byLayer.find((one) => one.rule === rule && one.decision === decision);
  const sentences = [`By the rules it ${why}.`];
  for (const one of byLayer) {
    if (one === decisive && one.matching.length < 2) continue;
    sentences.push(describeLayer(one));
  }
  if (decisive !== undefined && decision !== "allow") sentences.push(describeChange(decisive, byLayer, subject));
  return sentences;
}

function describeLayer({ layer, matching, why }: LayerDecision): string {
  const where = layer.scope === undefined ? "Of the rules for all tools" : `Of ${layer.name}`;
  if (matching.length === 0) return `${where} none names it; there it ${why}.`;
  return `${where} these match, in the order in which they decide: ${matching.map(describeRule).join(", ")}.`;
}

function describeChange(
  decisive: LayerDecision,
  byLayer: readonly LayerDecision[],
  { serverId, toolName }: ToolSubject,
): string {
  const { decision, layer, matching } = decisive;
  const others = byLayer.filter((one) => one !== decisive && strictnessOf(one.decision) > 0).length;
  const more =
    others === 0
      ? ""
      : `; ${others === 1 ? "one other set" : `${others} other sets`} of rules would have to let it, too`;
  const lists = layer.scope === undefined ? "" : ` of ${layer.name}`;
  if (matching.length > 0) {
    const same = matching.filter(({ kind }) => decisionOf(kind) === decision);
    const names = same.map(({ name }) => name).join(" and ");
    return `To change it, change or remove ${names}: nothing beats ${decision === "deny" ? "a deny" : "requireApproval but a deny"}${more}.`;
  }
  const entry = JSON.stringify(
    serverId.includes("/") ? { server: serverId, tool: toolName } : `${serverId}/${toolName}`,
  );
  const approve = decision === "quarantine" ? ", or approve it" : "";
  return `To change it, put ${entry} into allow or requireApproval${lists}${approve}${more}.`;
}
