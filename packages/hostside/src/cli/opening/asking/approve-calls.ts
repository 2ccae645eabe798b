import type { ApprovalOptions } from "@hostside/policy";
import { askApproval } from "./ask-approval.ts";
import type { TerminalPrompter } from "./asker.ts";

/** Who approves the calls of a host. */
export interface Approver {
  /** Whoever typed the call has approved it. In the repl each line says it anew. */
  isYes: boolean;
}

/**
 * What holds for calls that a person makes from a command line: each that is not known to be `pure`
 * is asked about, once, by the same question as one that a rule wants approved. Where nobody can be
 * asked, it is refused.
 */
export function approveCalls(approver: Approver, asker: TerminalPrompter | undefined): ApprovalOptions {
  return {
    mode: { tools: { effect: ["idempotent-write", "non-idempotent-write", "external"] } },
    async handler(question) {
      if (approver.isYes) return "once";
      if (asker === undefined) return "no";
      const { requireApproval } = question.definition;
      const why = requireApproval === true ? question.why : "it may change things";
      return askApproval(asker)({ ...question, why });
    },
  };
}
