import { redacted } from "@hostside/core";
import { isSecretName } from "@hostside/core/implement";
import type { ApprovalDecision, ApprovalHandler, ApprovalQuestion } from "@hostside/policy";
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
      ask.show(describeCall(question));
      const choices: readonly PromptChoice<ApprovalDecision>[] = [
        ...question.answers.flatMap((value) => (Object.hasOwn(labels, value) ? choiceOf(value) : [])),
        { value: "no", label: "No" },
      ];
      return (await ask.choose("Call it?", choices, "no")) ?? "no";
    }, question.signal);
}

/** What a user is to know before they answer, as lines. */
export function describeCall({ tool, definition, args, effect, why }: ApprovalQuestion): readonly string[] {
  const { title } = definition;
  const hide = (name: string, value: unknown): unknown => (isSecretName(name) ? redacted : value);
  const named = Object.entries(args).map(([name, value]) => `    ${name}: ${JSON.stringify(hide(name, value), hide)}`);
  return [
    "",
    `A call waits for you: ${why}`,
    `  server  ${tool.serverId}`,
    `  tool    ${tool.toolName}${title === undefined ? "" : ` (${title})`}`,
    `  effect  ${effect}`,
    ...(named.length === 0 ? [] : ["  with", ...named]),
  ];
}

function choiceOf(value: ApprovalDecision): PromptChoice<ApprovalDecision> | [] {
  return value === "once" || value === "conversation" || value === "always" ? { value, ...labels[value] } : [];
}
