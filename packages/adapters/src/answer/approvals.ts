import { HostsideError, type CallContext, type ToolDefinition } from "@hostside/core";
import { describeCall, quoteText } from "@hostside/core/implement";
import type { DeclaredTool } from "../declare/declare-tools.ts";
import type { ToolSource } from "../declare/tool-source.ts";
import { readArguments } from "./read-arguments.ts";

/** A call that a person has to approve before it runs. */
export interface CallToApprove {
  /** The id that the model gave the call, for the option `approved` of `answer()`. */
  readonly id: string;
  /** The name that the model called. */
  readonly name: string;
  /** The arguments as they will be sent. */
  readonly args: unknown;
  /** The definition of the tool; its `effect` is the one that the policy decides by. */
  readonly definition: ToolDefinition;
  /**
   * The call in lines that any display can show, quoted, with unseen characters escaped: whole, or
   * with what is left out counted.
   */
  readonly shown: readonly string[];
}

/**
 * Says whether a person has to approve calls of a tool: by the policy of the source, else by the
 * definition.
 */
export function requiresApproval({ approval }: ToolSource, { definition }: DeclaredTool): boolean {
  return approval === undefined ? definition.requireApproval === true : approval.requires(definition);
}

interface CallToAsk {
  readonly id?: string | undefined;
  readonly args?: unknown;
  readonly context?: CallContext | undefined;
}

/**
 * The question that a person is asked about a call. `undefined` for arguments that cannot be read:
 * the call itself says what is wrong with them.
 */
export function questionOf(tool: DeclaredTool, { id = "", args: given }: CallToAsk): CallToApprove | undefined {
  const { name, definition } = tool;
  try {
    const args = readArguments(tool, given);
    return { id, name, args, definition, shown: describeCall({ definition, args, effect: definition.effect }) };
  } catch {
    return undefined;
  }
}

/** Notes that a person is asked about a call now, and gives the question. */
export async function noteQuestion(
  tool: DeclaredTool,
  call: CallToAsk,
  { source, context }: { readonly source: ToolSource; readonly context?: CallContext | undefined },
): Promise<CallToApprove | undefined> {
  const question = questionOf(tool, call);
  if (question === undefined) return undefined;
  const { id, args, definition } = question;
  const noted = await source.approval?.note({ id, definition, args, context: { ...context, ...call.context } });
  if (noted === undefined) return question;
  const { shown, effect } = noted;
  return { ...question, definition: { ...definition, effect }, shown };
}

/**
 * The context of a call with a person's answer. Throws `approval_denied` for a no without a policy.
 */
export function withAnswer(
  tool: DeclaredTool,
  { id = "", args, context, approved }: CallToAsk & { readonly approved?: boolean | readonly string[] | undefined },
  source: ToolSource,
): CallContext | undefined {
  if (approved === undefined || !requiresApproval(source, tool)) return context;
  const { definition } = tool;
  const isApproved = typeof approved === "boolean" ? approved : approved.includes(id);
  if (source.approval !== undefined) {
    const asked = { id, definition, args, context };
    return { ...context, approval: source.approval.answer(asked, isApproved ? "once" : "no") };
  }
  if (isApproved) return context;
  throw new HostsideError(`call of ${quoteText(tool.name)} was rejected by the user`, {
    code: "approval_denied",
    serverId: definition.origin?.serverId || undefined,
    toolName: definition.origin?.toolName ?? definition.name,
    outcome: "not-sent",
    details: { denied: "rejected" },
  });
}
