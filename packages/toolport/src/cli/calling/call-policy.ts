import type { PolicyOptions } from "@toolport/policy";
import { askApproval } from "../host/asking/ask-approval.ts";
import type { Asker } from "../host/asking/asker.ts";

/** Who answers for a call. */
export interface Approver {
  /** Whoever typed the call has approved it. */
  readonly isYes: boolean;
  readonly canAsk: boolean;
  /** Who is asked; known when the host is open, before anything is called. */
  asker?: Asker | undefined;
}

/**
 * What holds for calls that a person makes from a command line: each that is not known to be `pure` is asked about, once, by the same question as one that a rule
 * wants approved.
 */
export function callPolicy(approver: Approver): PolicyOptions {
  if (approver.isYes) return { approval: { handler: () => "once" } };
  const mode = { tools: { effect: ["idempotent-write", "non-idempotent-write", "external"] } } as const;
  if (!approver.canAsk) return { approval: { mode } };
  return {
    approval: {
      mode,
      handler(question) {
        if (approver.asker === undefined) return "no";
        const { requiresConfirmation } = question.definition;
        const why = requiresConfirmation === true ? question.why : "it may change things";
        return askApproval(approver.asker)({ ...question, why });
      },
    },
  };
}
