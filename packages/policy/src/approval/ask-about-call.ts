import type { HostsideError } from "@hostside/core";
import { cleanText } from "@hostside/core";
import { dateOf, describeCall, formatMs, withoutApproval } from "@hostside/core/implement";
import type { PolicyParts } from "../policy-parts.ts";
import { callEvent, refuseCall } from "../refuse.ts";
import { stoppedCall } from "../stopped-call.ts";
import type { ApprovalDecision, ApprovalHandler, ReadApprovalOptions } from "./approval-options.ts";
import { askHuman, type Heard, type OpenQuestion } from "./ask-human.ts";
import type { PendingApproval } from "./pending-call.ts";
import type { KeptApprovals } from "./kept-approvals.ts";

/** What somebody who was asked wants; `unasked`: nobody could be asked, and why. */
export type ApprovalVerdict = "run" | "suspend" | { readonly unasked: string | undefined };

/** Asks about calls. */
export interface ApprovalAsking {
  /**
   * Resolves with what was answered; rejects with the refusal. The time of the call stands still
   * meanwhile.
   */
  ask(pending: PendingApproval): Promise<ApprovalVerdict>;
}

/** How it is asked. */
export interface ApprovalAskingInit {
  readonly handler: ApprovalHandler;
  readonly settings: ReadApprovalOptions;
  readonly kept: KeptApprovals;
  readonly parts: PolicyParts;
}

interface Waiting {
  readonly pending: PendingApproval;
  readonly question: OpenQuestion;
}

/**
 * Asks one handler. Each call is a question of its own, but an answer for the conversation or for
 * always settles those that it holds for.
 */
export function createApprovalAsking({ handler, settings, kept, parts }: ApprovalAskingInit): ApprovalAsking {
  const { clock } = parts;
  const { timeoutMs, maxOpen, maxOpenPerPrincipal } = settings;
  const open = new Set<Waiting>();

  const assertRoom = (pending: PendingApproval): void => {
    if (open.size >= maxOpen) throw tooManyError(pending, { count: open.size, rule: "approval.maxOpen" }, parts);
    const principal = principalOf(pending);
    if (principal === undefined) return;
    const own = Array.from(open).filter((waiting) => principalOf(waiting.pending) === principal);
    if (own.length < maxOpenPerPrincipal) return;
    throw tooManyError(pending, { count: own.length, rule: "approval.maxOpenPerPrincipal" }, parts);
  };
  const hear = async (pending: PendingApproval): Promise<Heard> => {
    const { call, copied, why, effect, hint } = pending;
    const { origin: tool, definition, server, options } = call;
    parts.emit({ type: "approval-asked", ...callEvent(call, parts), rule: why.rule, reason: why.why }, call);
    const context = options.context && Object.freeze({ ...withoutApproval(options.context) });
    const answers = answersFor(pending, settings);
    const asked = {
      tool,
      definition,
      server,
      args: copied.args,
      effect,
      why: why.why,
      hint,
      shown: Object.freeze(describeCall({ definition, args: copied.args, effect, secrets: settings.secrets() })),
      context,
      answers,
      timeoutMs,
    };
    const resume = options.deadline?.pause();
    const question = askHuman(asked, { handler, clock, timeoutMs, callSignal: options.signal });
    const waiting = { pending, question };
    open.add(waiting);
    try {
      return await question.heard;
    } finally {
      open.delete(waiting);
      resume?.();
    }
  };
  const remember = async (pending: PendingApproval, decision: ApprovalDecision): Promise<void> => {
    const answered = { type: "approval-answered", ...callEvent(pending.call, parts), by: "human" } as const;
    if (decision !== "conversation" && decision !== "always")
      return parts.emit({ ...answered, decision }, pending.call);
    if (!answersFor(pending, settings).includes(decision)) {
      const reason = `"${decision}" counts once: ${pending.call.definition.fingerprint === undefined ? "the tool has no fingerprint" : "the context has no conversation"}`;
      return parts.emit({ ...answered, decision: "once", reason }, pending.call);
    }
    parts.emit({ ...answered, decision }, pending.call);
    for (const { pending: other, question } of open) {
      if (kept.holdsFor(decision, pending, other)) question.settle({ kind: "covered" });
    }
    await kept.keep(decision, pending);
  };
  return {
    async ask(pending) {
      assertRoom(pending);
      const heard = await hear(pending);
      if (heard.kind === "covered") {
        parts.emit(
          { type: "approval-answered", ...callEvent(pending.call, parts), decision: "once", by: "memory" },
          pending.call,
        );
        return "run";
      }
      if (heard.kind === "unasked") return { unasked: heard.reason };
      if (heard.kind !== "answered") throw unheardError(heard, pending, { parts, timeoutMs });
      await remember(pending, heard.decision);
      if (heard.decision === "no") throw rejectedError(pending, heard.reason, parts);
      return heard.decision === "suspend" ? "suspend" : "run";
    },
  };
}

function answersFor({ call }: PendingApproval, { suspend }: ReadApprovalOptions): readonly ApprovalDecision[] {
  const hasPrint = call.definition.fingerprint !== undefined;
  const answers: readonly (ApprovalDecision | false)[] = [
    "once",
    hasPrint && call.options.context?.conversation !== undefined && "conversation",
    hasPrint && "always",
    "no",
    suspend !== undefined && "suspend",
  ];
  return Object.freeze(answers.filter((answer) => answer !== false));
}

function principalOf({ call }: PendingApproval): string | undefined {
  return call.options.context?.principal;
}

interface Crowd {
  readonly count: number;
  readonly rule: "approval.maxOpen" | "approval.maxOpenPerPrincipal";
}

function tooManyError({ call }: PendingApproval, { count, rule }: Crowd, parts: PolicyParts): HostsideError {
  const whose = rule === "approval.maxOpen" ? "" : " of the same principal";
  const reason = `needs an approval, and ${count} questions${whose} are open already`;
  return refuseCall(call, { stage: "approval", code: "overloaded", reason, rule }, parts);
}

/** A human said no. */
export function rejectedError(
  { call, why }: PendingApproval,
  words: string | undefined,
  parts: PolicyParts,
): HostsideError {
  const said = words === undefined || words === "" ? "" : `: ${cleanText(words, 500)}`;
  const details = { denied: "rejected" } as const;
  const refusal = { stage: "approval", code: "approval_denied", rule: why.rule, details } as const;
  return refuseCall(call, { ...refusal, reason: `was rejected by the user${said}` }, parts);
}

function unheardError(
  heard: Exclude<Heard, { readonly kind: "answered" | "covered" | "unasked" }>,
  { call, why }: PendingApproval,
  { parts, timeoutMs }: { readonly parts: PolicyParts; readonly timeoutMs: number },
): HostsideError {
  const { rule } = why;
  if (heard.kind === "over") return stoppedCall(call, "not-sent");
  const late = `nobody approved it within ${formatMs(timeoutMs)}`;
  const error = heard.kind === "failed" ? heard.error : new Error(`the approval handler did not answer: ${late}`);
  parts.emit(
    {
      ...callEvent(call, parts),
      type: "part-failed",
      part: "approval.handler",
      error,
      at: dateOf(parts.clock),
    },
    call,
  );
  if (heard.kind === "late") {
    const details = { denied: "unanswered" } as const;
    return refuseCall(
      call,
      { stage: "approval", code: "approval_denied", reason: `was refused: ${late}`, rule, details },
      parts,
    );
  }
  const { wrongAnswer = "whoever should ask for an approval failed" } = heard;
  const reason = `was refused: ${wrongAnswer}`;
  return refuseCall(call, { stage: "approval", code: "call_refused", reason, rule, cause: error }, parts);
}
