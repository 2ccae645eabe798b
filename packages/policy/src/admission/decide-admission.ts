import type { AdmissionServer, QuarantinedTool, ToolDefinition } from "@hostside/core";
import type { Pins } from "../pins/create-pins.ts";
import type { PolicyParts } from "../policy-parts.ts";
import { decide, type RuleDecision } from "../rules/decide.ts";
import type { RuleLayer } from "../rules/rule.ts";
import { toolSubject } from "../rules/tool-subject.ts";
import type { AdmissionDecision, ToolAdmission } from "./tool-admission.ts";

/** By what it is decided. */
export interface DecidingParts {
  readonly layers: readonly RuleLayer[];
  readonly pins: Pick<Pins, "epoch" | "judge">;
  /** Whether tools are held back for what they are. */
  readonly isPinning: boolean;
  readonly parts: Pick<PolicyParts, "effectOf" | "isNew">;
}

/**
 * Decides by rules and pins: the stricter one counts. The same answer for the same definition until
 * the epoch of the pins is another one.
 */
export function createDecider(deciding: DecidingParts): ToolAdmission["decide"] {
  const { pins } = deciding;
  const known = new WeakMap<ToolDefinition, Known>();
  return (definition, server) => {
    const { epoch } = pins;
    const before = known.get(definition);
    if (before !== undefined && before.epoch === epoch && before.server === server) return before.decision;
    const decision = decideAdmission({ definition, server }, deciding);
    known.set(definition, { server, epoch, decision });
    return decision;
  };
}

interface Known {
  readonly server: AdmissionServer | undefined;
  readonly epoch: number;
  readonly decision: AdmissionDecision;
}

function decideAdmission(
  { definition, server }: QuarantinedTool,
  { layers, pins, isPinning, parts }: DecidingParts,
): AdmissionDecision {
  const subject = toolSubject(definition, server, parts);
  const ruled = decide(layers, subject, false);
  // Neither needs a look at the tool itself, which costs a hash.
  if (ruled.decision === "deny" || (!isPinning && ruled.decision !== "quarantine")) return byRules(ruled);
  const { approved, held, rule, why } = pins.judge(definition, server);
  const final = decide(layers, subject, approved);
  return held && final.decision !== "quarantine"
    ? { decision: "quarantine", stage: "pins", rule, why }
    : byRules(final);
}

function byRules({ decision, rule, why }: RuleDecision): AdmissionDecision {
  return { decision, stage: "rules", rule, why };
}
