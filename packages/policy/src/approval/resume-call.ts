import type { ApprovalDenial, HostsideError } from "@hostside/core";
import type { PolicyParts } from "../policy-parts.ts";
import { callEvent, refuseCall } from "../refuse.ts";
import { stoppedCall } from "../stopped-call.ts";
import type { ApprovalGrant } from "./approval-token.ts";
import { rejectedError } from "./ask-about-call.ts";
import type { KeptApprovals } from "./kept-approvals.ts";
import type { PendingApproval } from "./pending-call.ts";
import type { Suspension, TokenLook } from "./suspend-call.ts";

/** What resuming is done with. */
export interface ResumeInit {
  readonly suspension: Suspension;
  readonly kept: KeptApprovals;
  readonly parts: PolicyParts;
}

const reasons: Readonly<Record<Exclude<ApprovalDenial, "rejected" | "unanswered">, string>> = {
  forged: "the token of its approval is none of this policy's",
  expired: "its approval has expired",
  used: "its approval was used before, or is not known here",
  unasked:
    "nobody was asked about this very call: an approval holds once, for one tool, its arguments and its conversation, until it expires",
  "other-tool": "another tool was approved, or this one has changed since",
  "other-arguments": "it was approved with other arguments",
  "other-caller": "it was approved for another principal or conversation",
};

/** A suspended call that may go on. */
export interface Resumption {
  /**
   * Uses its token up, once: whoever asks again gets the same answer. To be called right before the
   * call is sent, so that what refuses it until then leaves the token as it was. Rejects with
   * `approval_denied` when another call was sooner, and with `call_refused` when the store or the
   * lock fails: then the call must not run.
   */
  useUp(): Promise<void>;
}

/**
 * Looks whether a call may go on by its token. Rejects as {@linkcode Resumption.useUp} does. A
 * token that says no is used up by that.
 */
export async function resumeApprovedCall(
  pending: PendingApproval,
  token: string,
  init: ResumeInit,
): Promise<Resumption> {
  const { suspension, kept, parts } = init;
  const { call, copied } = pending;
  const grant = await read(pending, parts, () => suspension.look(token, call, copied));
  const use = async (): Promise<void> => {
    await read(pending, parts, () => suspension.useUp(grant, call));
    const { decision } = grant;
    if (grant.asked !== undefined) {
      parts.emit({ type: "approval-answered", ...callEvent(call, parts), decision, by: "human" }, call);
    }
    if (decision === "no") throw rejectedError(pending, undefined, parts);
    if (grant.asked === undefined) {
      parts.emit({ type: "approval-resumed", ...callEvent(call, parts), id: grant.id }, call);
    }
    if (decision !== "once") await kept.keep(decision, pending);
  };
  let used: Promise<void> | undefined;
  const useUp = (): Promise<void> => (used ??= use());
  if (grant.decision === "no") await useUp();
  return { useUp };
}

async function read(
  pending: PendingApproval,
  parts: PolicyParts,
  work: () => Promise<TokenLook>,
): Promise<ApprovalGrant> {
  const look = await asked(pending, parts, work);
  if ("denied" in look) throw deniedError(pending, look.denied, parts);
  return look.grant;
}

async function asked(
  { call, why }: PendingApproval,
  parts: PolicyParts,
  work: () => Promise<TokenLook>,
): Promise<TokenLook> {
  try {
    return await work();
  } catch (error) {
    if (call.options.signal?.aborted === true) throw stoppedCall(call, "not-sent");
    parts.emit({ ...callEvent(call, parts), type: "part-failed", part: "store", error }, call);
    const reason = "was refused: nobody can say whether its approval was used before";
    throw refuseCall(call, { stage: "approval", code: "call_refused", reason, rule: why.rule, cause: error }, parts);
  }
}

function deniedError({ call, why }: PendingApproval, denied: ApprovalDenial, parts: PolicyParts): HostsideError {
  const because = denied === "rejected" || denied === "unanswered" ? denied : reasons[denied];
  const refusal = { stage: "approval", code: "approval_denied", rule: why.rule, details: { denied } } as const;
  return refuseCall(call, { ...refusal, reason: `was refused: ${because}` }, parts);
}
