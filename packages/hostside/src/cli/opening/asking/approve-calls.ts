import type { ApprovalOptions } from "@hostside/policy";
import type { ServerSpec, ToolDefinition } from "@hostside/core";
import { effectOfHints } from "@hostside/core/implement";
import { askApproval } from "./ask-approval.ts";
import type { TerminalPrompter } from "./asker.ts";

/** Who approves the calls of a host. */
export interface Approver {
  /** Whoever typed the call has approved it. In the repl each line says it anew. */
  isYes: boolean;
}

/** Who can be asked, and which servers are configured. */
export interface ApproveCallsMeans {
  readonly asker: TerminalPrompter | undefined;
  readonly specOf: (serverId: string) => ServerSpec | undefined;
}

/**
 * What holds for calls that a person makes from a command line: each that is not known to be `pure`
 * is asked about, once, by the same question as one that a rule wants approved. Where nobody can be
 * asked, it is refused. A tool of the person's own servers may say of itself that it only reads.
 */
export function approveCalls(approver: Approver, { asker, specOf }: ApproveCallsMeans): ApprovalOptions {
  return {
    mode: { tools: { effect: ["idempotent-write", "non-idempotent-write", "external"] } },
    async handler(question) {
      if (approver.isYes) return "once";
      const { requireApproval } = question.definition;
      if (requireApproval !== true && saysItReads(question.definition, specOf)) return "once";
      if (asker === undefined) return "no";
      const why = requireApproval === true ? question.why : "it may change things";
      return askApproval(asker)({ ...question, why });
    },
  };
}

// What the entry says of the tool counts more, and the server of a project is no choice of the person's.
function saysItReads({ annotations = {}, origin }: ToolDefinition, specOf: ApproveCallsMeans["specOf"]): boolean {
  const spec = specOf(origin?.serverId ?? "");
  if (spec === undefined || spec.labels?.["scope"] === "project" || spec.trustAnnotations === false) return false;
  const { effect } = spec.tools?.[origin?.toolName ?? ""] ?? {};
  return effect === undefined && effectOfHints(annotations) === "pure";
}
