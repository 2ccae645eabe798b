import type { QuarantinedTool } from "@hostside/core";
import type { ApprovedTool, Pins } from "../pins/create-pins.ts";
import { hashWords } from "../pins/tool-lock.ts";
import type { ApprovalResult, HeldTool, ToolAdmission } from "./tool-admission.ts";

/**
 * The tool as one that is held back by this policy; `undefined` when it is somebody else who holds
 * it back.
 */
export function describeHeld(
  { definition, server }: QuarantinedTool,
  decide: ToolAdmission["decide"],
  pins: Pick<Pins, "changesOf" | "judge">,
): HeldTool | undefined {
  const { decision, stage, rule, why } = decide(definition, server);
  if (decision !== "quarantine") return undefined;
  const { origin, name, fingerprint } = definition;
  const changes = pins.changesOf(definition, server);
  return {
    serverId: origin?.serverId ?? "",
    toolName: origin?.toolName ?? name,
    ...(fingerprint !== undefined && { fingerprint }),
    definition,
    ...(server?.words !== undefined && { words: server.words }),
    ...(server?.registration !== undefined && { registration: server.registration }),
    stage,
    rule,
    why,
    approvable: fingerprint !== undefined && pins.judge(definition, server).kind !== "other-version",
    ...(changes !== undefined && { changes }),
  };
}

/** What is to be approved, and what cannot be. */
export interface ApprovalSelection {
  readonly tools: readonly ApprovedTool[];
  readonly left: ApprovalResult["left"];
}

/**
 * Of the tools of one server that are held back, those that were asked for; by default all. Servers
 * that are attached more than once may list variants of one tool: a name alone means none of
 * several.
 */
export function chooseHeld(
  held: readonly HeldTool[],
  wanted: readonly (string | HeldTool)[] = held,
): ApprovalSelection {
  const tools = new Map<string, ApprovedTool>();
  const left = new Map<string, string>();
  for (const one of wanted) {
    const toolName = typeof one === "string" ? one : one.toolName;
    const variants = held.filter((other) => other.toolName === toolName);
    const tool =
      typeof one === "string"
        ? variants[0]
        : variants.find(
            (other) => other.fingerprint === one.fingerprint && hashWords(other.words) === hashWords(one.words),
          );
    if (variants.length === 0) left.set(toolName, "is not held back");
    else if (typeof one === "string" && variants.length > 1) left.set(toolName, manyVariants(variants));
    else if (tool === undefined) left.set(toolName, "is not the one any more that was looked at");
    else if (!tool.approvable || tool.fingerprint === undefined) left.set(toolName, tool.why);
    else {
      const { fingerprint, definition, words, registration } = tool;
      const key = JSON.stringify([toolName, fingerprint, words]);
      tools.set(key, { toolName, fingerprint, registration, entry: definition.entry, words });
    }
  }
  return {
    tools: Array.from(tools.values()),
    left: Array.from(left, ([toolName, reason]) => ({ toolName, reason })),
  };
}

function manyVariants(variants: readonly HeldTool[]): string {
  const prints = variants.map(({ fingerprint = "no fingerprint" }) => fingerprint).join(" and ");
  return `is held back in ${variants.length} variants, ${prints}: approve the one of held() that was looked at`;
}
