import { cleanText, type HostsideError } from "@hostside/core";
import { clock, formatMs, isJsonObject, onAbort, quoteText, withoutApproval } from "@hostside/core/implement";
import { type PolicyParts, callEvent, stoppedCall, tellFailed } from "../refuse.ts";
import {
  approvalDecisions,
  type ApprovalDecision,
  type ApprovalHandler,
  type ApprovalQuestion,
  type AskedTool,
  type ReadApprovalOptions,
  type WhyAsked,
} from "./approval-options.ts";
import type { RememberedApprovals } from "./remembered-approvals.ts";
import type { Suspension } from "./suspend-call.ts";
import { hintFor, refuseApproval, showCall, type PendingApproval } from "./pending-call.ts";

/** The parts that the approval of one policy shares. */
export interface ApprovalParts {
  readonly settings: ReadApprovalOptions;
  readonly parts: PolicyParts;
  /** Says why somebody is asked before calls of a tool; `undefined` where nobody is. */
  readonly why: (tool: AskedTool) => WhyAsked | undefined;
  readonly suspension: Suspension;
  readonly remembered: RememberedApprovals;
}

/**
 * The end of a question that lets the call go on or wait. `unasked`: nobody could be asked this
 * time, for the reason that the handler gave.
 */
export type ApprovalVerdict = "run" | "suspend" | { readonly unasked: string | undefined };

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

/**
 * Makes a function that asks about a call and remembers the answer. It throws when the call may not
 * run.
 */
export function createApprovalAsking(
  handler: ApprovalHandler,
  shared: ApprovalParts,
): (pending: PendingApproval) => Promise<ApprovalVerdict> {
  const { settings, remembered, parts } = shared;
  const open = new Set<OpenQuestion>();
  const assertRoom = (pending: PendingApproval): void => {
    const principal = principalOf(pending);
    const own = Array.from(open).filter((question) => principalOf(question.pending) === principal);
    const isOwn = principal !== undefined && own.length >= mostOpenPerPrincipal;
    if (!isOwn && open.size < mostOpen) return;
    const whose = isOwn ? `${own.length} questions of the same principal` : `${open.size} questions`;
    const why = { rule: "approval", why: "" };
    const reason = `needs an approval, and ${whose} are open already`;
    throw refuseApproval({ call: pending.call, why }, { code: "overloaded", reason }, parts);
  };
  const hear = async (pending: PendingApproval): Promise<Heard> => {
    const { call, why } = pending;
    parts.emit({ type: "approval-asked", ...callEvent(call, parts), rule: why.rule, reason: why.why }, call);
    const resume = call.options.deadline?.pause();
    const question = askHuman(pending, handler, shared);
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
    const lacking =
      call.definition.fingerprint === undefined ? "the tool has no fingerprint" : "there is no conversation";
    const counted = isOffered
      ? { decision }
      : { decision: "once" as const, reason: `"${decision}" counts once: ${lacking}` };
    parts.emit({ type: "approval-answered", ...callEvent(call, parts), by: "human", ...counted }, call);
    if (!isOffered || (decision !== "conversation" && decision !== "always")) return;
    for (const { pending: other, settle } of open) {
      if (remembered.holdsFor(decision, pending, other)) settle({ kind: "covered" });
    }
    await remembered.keep(decision, pending);
  };
  return async (pending) => {
    assertRoom(pending);
    const heard = await hear(pending);
    if (heard.kind === "covered") {
      const { call } = pending;
      parts.emit({ type: "approval-answered", ...callEvent(call, parts), decision: "once", by: "memory" }, call);
      return "run";
    }
    if (heard.kind === "unasked") return { unasked: heard.reason };
    if (heard.kind !== "answered") throw unheardError(heard, pending, shared);
    await remember(pending, heard.decision);
    if (heard.decision === "no") throw rejectedError(pending, heard.reason, parts);
    return heard.decision === "suspend" ? "suspend" : "run";
  };
}

function askHuman(pending: PendingApproval, handler: ApprovalHandler, { settings }: ApprovalParts): OpenQuestion {
  const { call, args, why, effect } = pending;
  const { origin: tool, definition, server, options } = call;
  const controller = new AbortController();
  let finish: (heard: Heard) => void = () => {};
  const heard = new Promise<Heard>((resolve) => (finish = resolve));
  const settle = (result: Heard): void => {
    cancel();
    stopListening?.();
    if (result.kind !== "answered" && result.kind !== "failed") controller.abort();
    finish(result);
  };
  const cancel = clock.schedule(settings.timeoutMs, () => settle({ kind: "late" }));
  const stopListening = options.signal && onAbort(options.signal, () => settle({ kind: "over" }));
  if (options.signal?.aborted === true) {
    settle({ kind: "over" });
    return { pending, heard, settle };
  }
  const question: ApprovalQuestion = Object.freeze({
    tool,
    definition,
    server,
    args,
    effect,
    why: why.why,
    hint: hintFor(tool.toolName),
    shown: Object.freeze(showCall(pending, settings)),
    context: options.context && Object.freeze({ ...withoutApproval(options.context) }),
    answers: answersFor(pending, settings),
    timeoutMs: settings.timeoutMs,
    signal: controller.signal,
  });
  void answerOf(handler, question).then(settle);
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
    const known = question.answers.map((one) => `"${one}"`).join(", ");
    const wrongAnswer = `the approval handler answered ${said}, and not ${known}`;
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
export function rejectedError(pending: PendingApproval, words: string | undefined, parts: PolicyParts): HostsideError {
  const reason = `was rejected by the user${words === undefined || words === "" ? "" : `: ${cleanText(words, 500)}`}`;
  return refuseApproval(pending, { code: "approval_denied", details: { denied: "rejected" }, reason }, parts);
}

function unheardError(
  heard: Extract<Heard, { readonly kind: "failed" | "late" | "over" }>,
  pending: PendingApproval,
  { parts, settings }: ApprovalParts,
): HostsideError {
  if (heard.kind === "over") return stoppedCall(pending.call, "not-sent");
  const late = `nobody approved it within ${formatMs(settings.timeoutMs)}`;
  const cause = heard.kind === "failed" ? heard.error : new Error(`the approval handler did not answer: ${late}`);
  tellFailed(pending.call, { part: "approval.handler", error: cause }, parts);
  if (heard.kind === "late") {
    const details = { denied: "unanswered" } as const;
    return refuseApproval(pending, { code: "approval_denied", details, reason: `was refused: ${late}` }, parts);
  }
  const { wrongAnswer = "whoever should ask for an approval failed" } = heard;
  return refuseApproval(pending, { code: "call_refused", reason: `was refused: ${wrongAnswer}`, cause }, parts);
}
