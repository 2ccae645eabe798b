import type { ToolDefinition, ToolEffect, ToolFlag } from "@hostside/core";
import { estimateDefinitionTokens } from "@hostside/discovery";
import type { Policy } from "@hostside/policy";
import { signatureOf } from "../calling/describe-parameters.ts";

/** What `show --json` prints. */
export interface ToolFacts {
  /** As a model gets it, and as its server said it: raw. */
  readonly definition: ToolDefinition;
  /** Id of its server; `""` for one of the host's own. */
  readonly server: string;
  /** The remote name, byte for byte. */
  readonly tool: string;
  readonly signature: string;
  /** About how many its definition costs a model. */
  readonly tokens: number;
  readonly effect: ToolEffect;
  /** What is odd about its texts or its schema. */
  readonly flags: readonly ToolFlag[];
  readonly fingerprint?: string | undefined;
  /** Which rule decides over it, and what else is done with its calls: a sentence each. */
  readonly rules: readonly string[];
}

/** All that is known of one tool. Pure. */
export function toolFactsOf(definition: ToolDefinition, policy: Pick<Policy, "explain">): ToolFacts {
  const { name, origin, effect = "external", flags = [], fingerprint } = definition;
  return {
    definition,
    server: origin?.serverId ?? "",
    tool: origin?.toolName ?? name,
    signature: signatureOf(definition),
    tokens: estimateDefinitionTokens(definition),
    effect,
    flags,
    ...(fingerprint !== undefined && { fingerprint }),
    rules: policy.explain(definition).split("\n"),
  };
}
