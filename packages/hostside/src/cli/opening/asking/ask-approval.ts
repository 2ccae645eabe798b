import type { ApprovalDecision, ApprovalHandler } from "@hostside/policy";
import type { TerminalPrompter, PromptChoice } from "./asker.ts";

const labels = {
  once: { label: "Yes, this call" },
  conversation: { label: "Yes, until this ends", hint: "every call of this tool" },
  always: { label: "Yes, always", hint: "every call of this tool, until it changes" },
} as const;

/** Asks about a call that somebody has to approve. Who cancels has refused it. */
export function askApproval(asker: TerminalPrompter): ApprovalHandler {
  return (question) =>
    asker.alone(async (ask) => {
      ask.show(["", `A call waits for you: ${question.why}`, ...question.shown.map((line) => `  ${line}`)]);
      const choices: readonly PromptChoice<ApprovalDecision>[] = [
        ...question.answers.flatMap((value) => (Object.hasOwn(labels, value) ? choiceOf(value) : [])),
        { value: "no", label: "No" },
      ];
      return (await ask.choose("Call it?", choices, "no")) ?? "no";
    }, question.signal);
}

function choiceOf(value: ApprovalDecision): PromptChoice<ApprovalDecision> | [] {
  return value === "once" || value === "conversation" || value === "always" ? { value, ...labels[value] } : [];
}
