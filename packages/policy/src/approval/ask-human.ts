import type { Clock } from "@hostside/core";
import { isPlainObject, kindOf, quoteText } from "@hostside/core/implement";
import {
  readApprovalAnswer,
  type ApprovalDecision,
  type ApprovalHandler,
  type ApprovalQuestion,
} from "./approval-options.ts";

/** What became of a question. */
export type Heard =
  | { readonly kind: "answered"; readonly decision: ApprovalDecision; readonly reason?: string }
  /** The handler could ask nobody. */
  | { readonly kind: "unasked"; readonly reason?: string }
  /** An answer to another question holds for this one. */
  | { readonly kind: "covered" }
  /** The handler threw, or answered nothing that it may. */
  | { readonly kind: "failed"; readonly error: unknown; readonly wrongAnswer?: string }
  | { readonly kind: "late" }
  /** The call is over. */
  | { readonly kind: "over" };

/** A question that waits for its answer. */
export interface OpenQuestion {
  readonly heard: Promise<Heard>;
  /** Answers in place of the handler, unless it has answered already. */
  settle(heard: Heard): void;
}

/** How somebody is asked. */
export interface AskInit {
  readonly handler: ApprovalHandler;
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** Aborts when the call is over. */
  readonly callSignal: AbortSignal | undefined;
}

/**
 * Asks somebody, once and for no longer than `timeoutMs`. The first that happens counts; what comes
 * later is ignored.
 */
export function askHuman(question: Omit<ApprovalQuestion, "signal">, init: AskInit): OpenQuestion {
  const { handler, clock, timeoutMs, callSignal } = init;
  const controller = new AbortController();
  let finish: (heard: Heard) => void = () => {};
  const heard = new Promise<Heard>((resolve) => {
    finish = resolve;
  });
  let isOpen = true;
  const settle = (result: Heard): void => {
    if (!isOpen) return;
    isOpen = false;
    cancel();
    callSignal?.removeEventListener("abort", onOver);
    if (result.kind !== "answered" && result.kind !== "failed") controller.abort();
    finish(result);
  };
  const onOver = (): void => settle({ kind: "over" });
  const cancel = clock.schedule(timeoutMs, () => settle({ kind: "late" }));
  if (callSignal?.aborted === true) {
    onOver();
    return { heard, settle };
  }
  callSignal?.addEventListener("abort", onOver, { once: true });
  void answerOf(handler, Object.freeze({ ...question, signal: controller.signal })).then(settle);
  return { heard, settle };
}

async function answerOf(handler: ApprovalHandler, question: ApprovalQuestion): Promise<Heard> {
  try {
    const given: unknown = await handler(question);
    const answer = readApprovalAnswer(given);
    if (answer !== undefined) {
      const { decision, ...words } = answer;
      if (decision === "none") return { kind: "unasked", ...words };
      if (isOffered(decision, question)) return { kind: "answered", decision, ...words };
    }
    const wrongAnswer = `the approval handler answered ${inWords(given)}, and not ${nameAnswers(question)}`;
    return { kind: "failed", error: new TypeError(wrongAnswer), wrongAnswer };
  } catch (error) {
    return { kind: "failed", error };
  }
}

// What cannot be remembered counts once; whether something can be suspended is no matter of taste.
function isOffered(decision: ApprovalDecision, { answers }: ApprovalQuestion): boolean {
  return decision !== "suspend" || answers.includes("suspend");
}

function inWords(answer: unknown): string {
  // A word is a mistake of whoever wrote the handler; a sentence may be what a person said.
  if (typeof answer === "string") return /^\w{1,20}$/.test(answer) ? quoteText(answer) : "a text";
  if (!isPlainObject(answer)) return kindOf(answer);
  const { decision, reason } = answer as Partial<Record<"decision" | "reason", unknown>>;
  return reason === undefined || typeof reason === "string"
    ? `a decision that is ${inWords(decision)}`
    : `a reason that is ${kindOf(reason)}`;
}

/** With `approval.suspend` alone a call can wait for somebody who is not there. */
function nameAnswers({ answers }: ApprovalQuestion): string {
  const known = answers.map((answer) => `"${answer}"`).join(", ");
  return answers.includes("suspend") ? known : `${known}; "suspend" needs approval.suspend`;
}
