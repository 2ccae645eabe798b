import type { ToolOutcome } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import * as sdk from "ai";
import type { LanguageModel, ModelMessage, ToolApprovalStatus, ToolSet } from "ai";
import { noteQuestion, requiresApproval } from "../answer/approvals.ts";
import { createAnswerer } from "../answer/create-answerer.ts";
import { assertPeer } from "../assert-peer.ts";
import type { DeclaredTool, LeftOutTool } from "../declared-tool.ts";
import { aiSdk } from "../schema/profiles/frameworks.ts";
import type { ToolSource } from "../tool-source.ts";
import { readAiSdkOptions, type AiSdkOptions } from "./ai-sdk-options.ts";
import { createAiSdkToolMaker, type AiSdkCall } from "./make-tool.ts";
import { moveFiles } from "./move-files.ts";

/** A step of a generation, as far as it is read. */
export interface AiSdkStep {
  readonly model?: LanguageModel | undefined;
  readonly messages?: readonly ModelMessage[] | undefined;
}

/** A call that the AI SDK asks about, as far as it is read. */
export interface AiSdkApprovalQuestion {
  readonly toolCall: { readonly toolName: string; readonly toolCallId: string; readonly input: unknown };
  readonly messages?: readonly ModelMessage[] | undefined;
  readonly toolsContext?: unknown;
}

/** What a step is to be sent with. */
export interface PreparedStep {
  /** What is declared in this step, in order. */
  readonly activeTools: string[];
  readonly toolOrder: string[];
  readonly messages?: ModelMessage[];
}

/**
 * The tools of one conversation for `generateText`, `streamText` and agents. The first three are
 * settings of those.
 */
export interface AiSdkTools {
  /**
   * Each tool that the source offers or has offered, under the name that it is declared by. It
   * grows in place: hand over this very object, not a copy.
   */
  readonly tools: ToolSet;
  /**
   * Declares in each step what the source offers by then, so that what the model found in one step
   * it can call in the next. Yours, if you have one, goes first, and `activeTools` of the
   * generation has no say:
   * `prepareStep: async (step) => ({ ...(await mine(step)), ...prepareStep(step) })`.
   */
  readonly prepareStep: (step?: AiSdkStep) => PreparedStep;
  /** Has the user asked about calls that need an approval. Without it the tools themselves do. */
  readonly toolApproval: (question: AiSdkApprovalQuestion) => Promise<ToolApprovalStatus>;
  /**
   * The whole outcome behind what `execute` resolved with, such as `output` of a tool result, in
   * this process. For the host alone: it is not bounded.
   */
  readonly outcomeOf: (answer: unknown) => ToolOutcome | undefined;
  /** What is not declared now, and why. */
  readonly leftOut: () => readonly LeftOutTool[];
}

/**
 * Tools of the AI SDK from a view, a toolbox or a provider, for one conversation. Whatever goes
 * wrong with a call is its result, for the model to read; a call that the SDK aborts rejects with
 * `aborted`. Throws a `TypeError` that names the option it cannot use.
 */
export function createAiSdkTools(source: ToolSource, options: AiSdkOptions = {}): AiSdkTools {
  assertPeer({ where: "createAiSdkTools()", peer: "ai@7", has: sdk.isStepCount });
  const read = readAiSdkOptions(options);
  const { tools: own, files, shared } = read;
  const answerer = createAnswerer(source, aiSdk, shared);
  const asks = async (tool: DeclaredTool, call: AiSdkCall): Promise<boolean> => {
    if (!requiresApproval(source, tool)) return false;
    const { toolCallId: id, input: args, messages } = call;
    // The SDK asks again about a call that was approved, before it executes it.
    if (!isApproved(id, messages)) await noteQuestion(tool, { id, args }, { ...shared, source });
    return true;
  };
  const maker = createAiSdkToolMaker(source, read, asks);
  const tools: ToolSet = { ...own };
  const current = new Map<string, DeclaredTool>();
  const ownNames = new Set(Object.keys(own));

  const declare = (): string[] => {
    const ours = answerer.declare(ownNames).tools;
    for (const tool of ours) {
      const { name } = tool;
      if (current.get(name) === tool) continue;
      current.set(name, tool);
      // A server may call its tool `__proto__`.
      const value = maker.make(tool);
      Object.defineProperty(tools, name, { value, enumerable: true, configurable: true, writable: true });
    }
    return [...ownNames, ...ours.map(({ name }) => name)];
  };
  declare();
  return {
    tools,
    prepareStep({ model, messages = [] } = {}) {
      const names = declare();
      const isMoved = files === "message" || (files === "auto" && speaksChat(model));
      const moved = isMoved ? moveFiles(messages) : messages;
      return { activeTools: names, toolOrder: names, ...(moved !== messages && { messages: [...moved] }) };
    },
    async toolApproval(question) {
      const { toolCall, messages = [] } = question;
      const tool = current.get(toolCall.toolName);
      if (tool === undefined) return await askOwnTool(own, question);
      return (await asks(tool, { ...toolCall, messages })) ? "user-approval" : "not-applicable";
    },
    outcomeOf: (answer) => maker.outcomeOf(answer),
    leftOut: () => answerer.declare(ownNames).leftOut,
  };
}

/** Whether messages end with an approval of this call: then the SDK is about to execute it. */
function isApproved(toolCallId: string, messages: readonly ModelMessage[]): boolean {
  const last = messages.at(-1);
  if (last?.role !== "tool") return false;
  const answered = new Set(
    last.content.flatMap((part) => (part.type === "tool-approval-response" ? [part.approvalId] : [])),
  );
  return messages.some(
    ({ role, content }) =>
      role === "assistant" &&
      typeof content !== "string" &&
      content.some(
        (part) =>
          part.type === "tool-approval-request" && part.toolCallId === toolCallId && answered.has(part.approvalId),
      ),
  );
}

// The setting goes before what a tool of the product's own says of itself, and so has to repeat
// that.
async function askOwnTool(
  own: ToolSet,
  { toolCall, messages = [], toolsContext }: AiSdkApprovalQuestion,
): Promise<ToolApprovalStatus> {
  const { toolName, toolCallId, input } = toolCall;
  const needs = Object.hasOwn(own, toolName) ? own[toolName]?.needsApproval : undefined;
  if (typeof needs !== "function") return needs === true ? "user-approval" : undefined;
  const context: unknown =
    isJsonObject(toolsContext) && Object.hasOwn(toolsContext, toolName) ? toolsContext[toolName] : undefined;
  return (await needs(input, { toolCallId, messages: [...messages], context })) ? "user-approval" : undefined;
}

// The providers of the AI SDK name themselves `<vendor>.<API>`.
function speaksChat(model: LanguageModel | undefined): boolean {
  return typeof model === "object" && model.provider.endsWith(".chat");
}
