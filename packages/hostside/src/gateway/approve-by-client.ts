import { cleanText, redacted, type ElicitationRequest, type ElicitationResult, type JsonObject } from "@hostside/core";
import { isSecretName } from "@hostside/core/implement";
import type { ApprovalDecision, ApprovalHandler, ApprovalQuestion } from "@hostside/policy";

/** Asks the user of the client whose conversation it is; rejects where that client cannot ask. */
export type AskClient = (request: ElicitationRequest, signal: AbortSignal) => Promise<ElicitationResult>;

/** What a client that cannot be asked has to do with it. */
export interface ApproveByClientOptions {
  /** What the user may do in place of it, as a sentence for the model to pass on. Default: none. */
  readonly otherwise?: ((question: ApprovalQuestion) => string) | undefined;
}

/**
 * Asks the user of a client before a call: a form with what would be called, and the answers that
 * make sense. What is no answer refuses the call. Of a client that cannot ask, calls are refused
 * with `approval_required`; the model then reads why, and what its user may do.
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
const longestLine = 2000;
const longestArguments = 10_000;
// What hides or turns the text around it; line breaks in values are escaped by then.
const unseen = /(?!\n)[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;

function formOf(question: ApprovalQuestion): JsonObject & { readonly message: string } {
  const answers = [...question.answers.filter((answer) => Object.hasOwn(labels, answer) && answer !== "no"), "no"];
  const answer = {
    type: "string",
    title: "Call it?",
    enum: answers,
    enumNames: answers.map((value) => labels[value] ?? value),
  };
  const requestedSchema = { type: "object", properties: { answer }, required: ["answer"] };
  return { mode: "form", message: describeCall(question).join("\n"), requestedSchema };
}

/** What a user is to know before they answer, as lines. */
function describeCall({ tool, definition, args, effect, why }: ApprovalQuestion): readonly string[] {
  const { title } = definition;
  return [
    `A call waits for you: ${why}`,
    `server: ${tool.serverId}`,
    `tool: ${tool.toolName}${title === undefined ? "" : ` (${title})`}`,
    `effect: ${effect}`,
  ]
    .map((line) => cleanText(line, longestLine).replaceAll(/\s*\n\s*/g, " "))
    .concat(describeArguments(args));
}

/**
 * Names are a model's words as values are: quoted and indented, none of them can pass for a line of
 * the host. What is not shown is counted.
 */
function describeArguments(args: JsonObject): readonly string[] {
  const hide = (name: string, value: unknown): unknown => (isSecretName(name) ? redacted : value);
  const lines = Object.entries(args).map(
    ([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(hide(name, value), hide)}`,
  );
  if (lines.length === 0) return ["without arguments"];
  const text = lines.join("\n").replaceAll(unseen, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
  const hidden = text.length - longestArguments;
  if (hidden <= 0) return [`arguments:\n${text}`];
  return [`arguments, of which ${hidden} characters more are NOT shown here:\n${text.slice(0, longestArguments)}…`];
}

function readDecision({ action, content }: ElicitationResult, answers: readonly ApprovalDecision[]): ApprovalDecision {
  const answer = content?.["answer"];
  return (action === "accept" && answers.find((one) => one === answer)) || "no";
}
