import type { ApprovalDenial, ToolportError } from "@toolport/core";
import type { PolicyParts } from "../policy-parts.ts";
import { callEvent, refuse } from "../refuse.ts";
import { stoppedCall } from "../stopped-call.ts";
import { rejectedError } from "./ask-about-call.ts";
import type { KeptApprovals } from "./kept-approvals.ts";
import type { PendingCall } from "./pending-call.ts";
import type { Suspension } from "./suspend-call.ts";

/** What resuming is done with. */
export interface ResumeInit {
  readonly suspension: Suspension | undefined;
  readonly kept: KeptApprovals;
  readonly parts: PolicyParts;
}

const reasons: Readonly<Record<Exclude<ApprovalDenial, "rejected" | "unanswered">, string>> = {
  forged: "the token of its approval is none of this policy's",
  expired: "its approval has expired",
  used: "its approval was used before, or is not known here",
  "other-tool": "another tool was approved, or this one has changed since",
  "other-arguments": "it was approved with other arguments",
  "other-caller": "it was approved for another principal or conversation",
};

/** Lets a call go on by its token, which is used up by that. Rejects with `approval_denied`, and with `call_refused` when the store or the lock fails. */
export async function resumeCall(pending: PendingCall, token: string, init: ResumeInit): Promise<void> {
  const { kept, parts } = init;
  const { call } = pending;
  const use = await useToken(pending, token, init);
  if ("denied" in use) throw deniedError(pending, use.denied, parts);
  const { id, decision } = use.grant;
  if (decision === "no") throw rejectedError(pending, undefined, parts);
  parts.emit({ type: "approval-resumed", ...callEvent(call, parts), id });
  if (decision !== "once") await kept.keep(decision, pending);
}

async function useToken(
  { call, copied, why }: PendingCall,
  token: string,
  { suspension, parts }: ResumeInit,
): ReturnType<Suspension["use"]> {
  if (suspension === undefined) return { denied: "forged" };
  try {
    return await suspension.use(token, call, copied);
  } catch (error) {
    if (call.options.signal?.aborted === true) throw stoppedCall(call, "not-sent");
    parts.emit({ ...callEvent(call, parts), type: "part-failed", part: "store", error });
    const reason = "was refused: nobody can say whether its approval was used before";
    throw refuse(call, { stage: "approval", code: "call_refused", reason, rule: why.rule, cause: error }, parts);
  }
}

function deniedError({ call, why }: PendingCall, denied: ApprovalDenial, parts: PolicyParts): ToolportError {
  const because = denied === "rejected" || denied === "unanswered" ? denied : reasons[denied];
  const refusal = { stage: "approval", code: "approval_denied", rule: why.rule, details: { denied } } as const;
  return refuse(call, { ...refusal, reason: `was refused: ${because}` }, parts);
}
