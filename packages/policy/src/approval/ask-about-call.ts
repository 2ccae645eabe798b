import { cleanText, type HostsideError } from "@hostside/core";
import { dateOf, describeCall, formatMs, isJsonObject, quoteText, withoutApproval } from "@hostside/core/implement";
import type { PolicyParts } from "../policy-parts.ts";
import { callEvent, refuseCall } from "../refuse.ts";
import { stoppedCall } from "../stopped-call.ts";
import {
  approvalDecisions,
  type ApprovalDecision,
  type ApprovalHandler,
  type ApprovalQuestion,
  type ReadApprovalOptions,
} from "./approval-options.ts";
import { hintFor, type PendingApproval } from "./pending-call.ts";
import type { RememberedApprovals } from "./remembered-approvals.ts";

/**
 * What becomes of a call that somebody was asked about. `unasked`: nobody could be asked this time,
 * for the reason that the handler gave.
 */
export type ApprovalVerdict = "run" | "suspend" | { readonly unasked: string | undefined };

/** Asks about calls, and remembers the answers. */
export interface ApprovalAsking {
  /** Throws when the call may not run. */
  ask(pending: PendingApproval): Promise<ApprovalVerdict>;
}

/** What asking is done with. */
export interface ApprovalAskingInit {
  readonly handler: ApprovalHandler;
  readonly settings: ReadApprovalOptions;
  readonly remembered: RememberedApprovals;
  readonly parts: PolicyParts;
}

type Heard =
  | { readonly kind: "answered"; readonly decision: ApprovalDecision; readonly reason?: string }
  | { readonly kind: "unasked"; readonly reason?: string }
  /** An answer to another question holds for this one. */
  | { readonly kind: "covered" }
  | { readonly kind: "failed"; readonly error: unknown; readonly wrongAnswer?: string }
  | { readonly kind: "late" }
  /** The call is over. */
  | { readonly kind: "over" };

interface OpenQuestion {
  readonly pending: PendingApproval;
  readonly heard: Promise<Heard>;
  readonly settle: (heard: Heard) => void;
}

// Of one principal a quarter, so that one who never answers leaves room for others.
const mostOpen = 100;
const mostOpenPerPrincipal = 25;

/** Makes the asking of one policy, which knows its open questions. */
export function createApprovalAsking(init: ApprovalAskingInit): ApprovalAsking {
  const { settings, remembered, parts } = init;
  const open = new Set<OpenQuestion>();
  const assertRoom = (pending: PendingApproval): void => {
    const principal = principalOf(pending);
    const own = Array.from(open).filter((question) => principalOf(question.pending) === principal);
    const isOwn = principal !== undefined && own.length >= mostOpenPerPrincipal;
    if (!isOwn && open.size < mostOpen) return;
    const whose = isOwn ? `${own.length} questions of the same principal` : `${open.size} questions`;
    const reason = `needs an approval, and ${whose} are open already`;
    throw refuseCall(pending.call, { stage: "approval", code: "overloaded", reason, rule: "approval" }, parts);
  };
  const hear = async (pending: PendingApproval): Promise<Heard> => {
    const { call, why } = pending;
    parts.emit({ type: "approval-asked", ...callEvent(call, parts), rule: why.rule, reason: why.why }, call);
    const resume = call.options.deadline?.pause();
    const question = askHuman(pending, init);
    open.add(question);
    try {
      return await question.heard;
    } finally {
      open.delete(question);
      resume?.();
    }
  };
  const remember = async (pending: PendingApproval, decision: ApprovalDecision): Promise<void> => {
    const { call } = pending;
    const isOffered = answersFor(pending, settings).includes(decision);
    const noun = call.definition.fingerprint === undefined ? "the tool has no fingerprint" : "there is no conversation";
    const counted = isOffered
      ? { decision }
      : { decision: "once" as const, reason: `"${decision}" counts once: ${noun}` };
    parts.emit({ type: "approval-answered", ...callEvent(call, parts), by: "human", ...counted }, call);
    if (!isOffered || (decision !== "conversation" && decision !== "always")) return;
    for (const { pending: other, settle } of open) {
      if (remembered.holdsFor(decision, pending, other)) settle({ kind: "covered" });
    }
    await remembered.keep(decision, pending);
  };
  return {
    async ask(pending) {
      assertRoom(pending);
      const heard = await hear(pending);
      if (heard.kind === "covered") {
        const { call } = pending;
        parts.emit({ type: "approval-answered", ...callEvent(call, parts), decision: "once", by: "memory" }, call);
        return "run";
      }
      if (heard.kind === "unasked") return { unasked: heard.reason };
      if (heard.kind !== "answered") throw unheardError(heard, pending, { parts, timeoutMs: settings.timeoutMs });
      await remember(pending, heard.decision);
      if (heard.decision === "no") throw rejectedError(pending, heard.reason, parts);
      return heard.decision === "suspend" ? "suspend" : "run";
    },
  };
}

function askHuman(pending: PendingApproval, { handler, settings, parts }: ApprovalAskingInit): OpenQuestion {
  const { call, args, why, effect } = pending;
  const { origin: tool, definition, server, options } = call;
  const controller = new AbortController();
  let finish: (heard: Heard) => void = () => {};
  const heard = new Promise<Heard>((resolve) => (finish = resolve));
  let isOpen = true;
  const settle = (result: Heard): void => {
    if (!isOpen) return;
    isOpen = false;
    cancel();
    options.signal?.removeEventListener("abort", onOver);
    if (result.kind !== "answered" && result.kind !== "failed") controller.abort();
    finish(result);
  };
  const onOver = (): void => settle({ kind: "over" });
  const cancel = parts.clock.schedule(settings.timeoutMs, () => settle({ kind: "late" }));
  if (options.signal?.aborted === true) onOver();
  else {
    options.signal?.addEventListener("abort", onOver, { once: true });
    const question: ApprovalQuestion = Object.freeze({
      tool,
      definition,
      server,
      args,
      effect,
      why: why.why,
      hint: hintFor(tool.toolName),
      shown: Object.freeze(describeCall({ definition, args, effect, secrets: settings.secrets() })),
      context: options.context && Object.freeze({ ...withoutApproval(options.context) }),
      answers: answersFor(pending, settings),
      timeoutMs: settings.timeoutMs,
      signal: controller.signal,
    });
    void answerOf(handler, question).then(settle);
  }
  return { pending, heard, settle };
}

async function answerOf(handler: ApprovalHandler, question: ApprovalQuestion): Promise<Heard> {
  try {
    const given: unknown = await handler(question);
    const { decision, reason }: { decision?: unknown; reason?: unknown } = isJsonObject(given)
      ? given
      : { decision: given };
    const words = typeof reason === "string" ? { reason } : {};
    if (reason === undefined || typeof reason === "string") {
      if (decision === "none") return { kind: "unasked", ...words };
      const known = approvalDecisions.find((one) => one === decision);
      // What cannot be remembered counts once; what cannot be suspended is no answer.
      if (known !== undefined && (known !== "suspend" || question.answers.includes("suspend")))
        return { kind: "answered", decision: known, ...words };
    }
    // A word is a mistake of whoever wrote the handler; a sentence may be what a person said.
    const said = typeof decision === "string" && /^\w{1,20}$/.test(decision) ? quoteText(decision) : "something else";
    const wrongAnswer = `the approval handler answered ${said}, and not ${question.answers.map((one) => `"${one}"`).join(", ")}`;
    return { kind: "failed", error: new TypeError(wrongAnswer), wrongAnswer };
  } catch (error) {
    return { kind: "failed", error };
  }
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

/** Refuses a call that a person rejected, in that person's words. */
export function rejectedError(
  { call, why }: PendingApproval,
  words: string | undefined,
  parts: PolicyParts,
): HostsideError {
  const said = words === undefined || words === "" ? "" : `: ${cleanText(words, 500)}`;
  const refusal = {
    stage: "approval",
    code: "approval_denied",
    rule: why.rule,
    details: { denied: "rejected" },
  } as const;
  return refuseCall(call, { ...refusal, reason: `was rejected by the user${said}` }, parts);
}

function unheardError(
  heard: Exclude<Heard, { readonly kind: "answered" | "covered" | "unasked" }>,
  { call, why: { rule } }: PendingApproval,
  { parts, timeoutMs }: { readonly parts: PolicyParts; readonly timeoutMs: number },
): HostsideError {
  if (heard.kind === "over") return stoppedCall(call, "not-sent");
  const late = `nobody approved it within ${formatMs(timeoutMs)}`;
  const error = heard.kind === "failed" ? heard.error : new Error(`the approval handler did not answer: ${late}`);
  const at = dateOf(parts.clock);
  parts.emit({ ...callEvent(call, parts), type: "part-failed", part: "approval.handler", error, at }, call);
  if (heard.kind === "late") {
    const refusal = { stage: "approval", code: "approval_denied", rule, details: { denied: "unanswered" } } as const;
    return refuseCall(call, { ...refusal, reason: `was refused: ${late}` }, parts);
  }
  const { wrongAnswer = "whoever should ask for an approval failed" } = heard;
  const refusal = { stage: "approval", code: "call_refused", rule, cause: error } as const;
  return refuseCall(call, { ...refusal, reason: `was refused: ${wrongAnswer}` }, parts);
}
