import type { ElicitationRequest, ElicitationResult, JsonObject } from "@hostside/core";
import type { ApprovalDecision, ApprovalHandler, ApprovalQuestion } from "@hostside/policy";

/** Asks the user of the client whose conversation it is; rejects where that client cannot ask. */
export type AskClient = (request: ElicitationRequest, signal: AbortSignal) => Promise<ElicitationResult>;

/** Options of {@linkcode approveByClient}. */
export interface ApproveByClientOptions {
  /**
   * Says what the user may do in place of it, as a sentence for the model to pass on. Default:
   * none.
   */
  readonly otherwise?: ((question: ApprovalQuestion) => string) | undefined;
}

/**
 * Asks the user of a client before a call: a form with what would be called, and the answers that
 * make sense. Any other answer refuses the call. Calls of a client that cannot ask are refused with
 * `approval_required`; the model then reads why, and what its user may do.
 *
 * @example
 * const ask: AskClient = (request, signal) => gateway.elicit(request, signal);
 * const policy = { approval: { handler: approveByClient(ask) } };
 */
export function approveByClient(ask: AskClient, { otherwise }: ApproveByClientOptions = {}): ApprovalHandler {
  return async (question) => {
    const { context, signal } = question;
    const params = formOf(question);
    // On behalf of the host itself, so that no server is named as the one who asks.
    const request = { serverId: "", mode: "form", message: params.message, params, context } as const;
    try {
      return readDecision(await ask(request, signal), question.answers);
    } catch {
      const instead = otherwise === undefined ? "" : `. ${otherwise(question)}`;
      return { decision: "none", reason: `this client cannot ask its user${instead}` };
    }
  };
}

const labels: Readonly<Record<string, string>> = {
  once: "Yes, this call",
  conversation: "Yes, every call of this tool until this session ends",
  always: "Yes, every call of this tool until it changes",
  no: "No",
};
function formOf(question: ApprovalQuestion): JsonObject & { readonly message: string } {
  const answers = [...question.answers.filter((answer) => Object.hasOwn(labels, answer) && answer !== "no"), "no"];
  const answer = {
    type: "string",
    title: "Call it?",
    enum: answers,
    enumNames: answers.map((value) => labels[value] ?? value),
  };
  const requestedSchema = { type: "object", properties: { answer }, required: ["answer"] };
  const message = [`A call waits for you: ${question.why}`, ...question.shown].join("\n");
  return { mode: "form", message, requestedSchema };
}

function readDecision({ action, content }: ElicitationResult, answers: readonly ApprovalDecision[]): ApprovalDecision {
  const answer = content?.["answer"];
  return (action === "accept" && answers.find((one) => one === answer)) || "no";
}
