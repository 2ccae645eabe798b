import type {
  ChatCompletionFunctionTool,
  ChatCompletionMessageFunctionToolCall,
  ChatCompletionMessageToolCall,
  ChatCompletionToolMessageParam,
  ChatCompletionUserMessageParam,
} from "openai/resources/chat/completions/completions";
import type { CallToApprove } from "../answer/approvals.ts";
import { assertAnswerable, type Answerable } from "../answer/assert-answerable.ts";
import { assertAnswerOptions, type AnswerOptions } from "../answer/answer-options.ts";
import type { ModelCall } from "../answer/answer-call.ts";
import { createAnswerer } from "../answer/create-answerer.ts";
import { cutOffReason, refused } from "../answer/refused.ts";
import { runAll } from "../answer/run-all.ts";
import type { Declaration, LeftOutTool } from "../declared-tool.ts";
import { openaiChat } from "../schema/profiles/openai.ts";
import type { ToolSource } from "../tool-source.ts";
import { chatMediaParts, chatOutput } from "./chat-output.ts";
import { readOpenaiOptions, type OpenaiOptions } from "./openai-options.ts";

/**
 * A message of a model, as far as its tool calls go: of a completion, or put together from the
 * pieces of a stream.
 */
export interface CallingMessage {
  readonly tool_calls?: readonly ChatCompletionMessageToolCall[] | null | undefined;
}

/** A choice of a completion, as far as its calls go. */
export interface CallingChoice {
  readonly message: CallingMessage;
  readonly finish_reason?: string | null | undefined;
}

/** The tools of one conversation through Chat Completions. */
export interface ChatTools {
  /**
   * What to declare as `tools` of the next request: what the source offers now, in its order, so
   * that what the model searched and selected is there.
   */
  tools(): ChatCompletionFunctionTool[];
  /**
   * Runs the function calls of a message, all at once, and gives what to put after that: one tool
   * message for each call, in their order, and, when tools showed pictures or files, one user
   * message that has these, because a tool message takes text alone. Empty when there is nothing to
   * answer.
   *
   * Whatever goes wrong with a call is its answer. Of a choice whose output was cut off
   * (`finish_reason`: `length`, `content_filter`) the last call is not run; in a message alone that
   * does not show where a call has no arguments yet. Rejects with `aborted` when the signal aborts,
   * after all calls have ended. Answering one message twice runs its calls twice.
   */
  answer(
    message: CallingMessage | CallingChoice,
    options?: AnswerOptions,
  ): Promise<(ChatCompletionToolMessageParam | ChatCompletionUserMessageParam)[]>;
  /**
   * The calls to approve; their ids are for `approved` of `answer()`. None where the policy has a
   * handler.
   */
  toApprove(message: CallingMessage | CallingChoice, options?: AnswerOptions): Promise<readonly CallToApprove[]>;
  /** What is not declared now, and why. */
  leftOut(): readonly LeftOutTool[];
}

const answerable: Answerable = {
  takes: "a message of the model or a choice of a completion",
  members: ["message", "role", "content", "tool_calls"],
  lists: ["tool_calls"],
  optional: true,
};

/**
 * Tools for Chat Completions from a view, a toolbox or a provider. Throws a `TypeError` that names
 * the option it cannot use.
 */
export function createChatTools(source: ToolSource, options: OpenaiOptions = {}): ChatTools {
  const { shared, own } = readOpenaiOptions("createChatTools()", options);
  const answerer = createAnswerer(source, openaiChat, shared);
  // What the model was shown, and what its calls are held to, is what `tools()` gave last.
  let latest: Declaration | undefined;
  const declare = (): Declaration => (latest = answerer.declare(own));
  const read = (given: CallingMessage | CallingChoice): CallsOfMessage => {
    assertAnswerable(given, answerable);
    const { message, finish_reason: end }: CallingChoice = "message" in given ? given : { message: given };
    assertAnswerable(message, answerable);
    const all = message.tool_calls ?? [];
    const cut = end === "length" || end === "content_filter" ? all.at(-1) : undefined;
    return { calls: all.filter(isFunctionCall).filter((call) => !own.has(call.function.name)), cut };
  };
  return {
    tools: () =>
      declare().tools.map(({ name, description, inputSchema, strict }) => ({
        type: "function",
        function: { name, description, parameters: { ...inputSchema }, strict },
      })),
    async toApprove(given, how = {}) {
      assertAnswerOptions("toApprove()", how);
      const { calls, cut } = read(given);
      const whole = calls.filter((call) => call !== cut);
      return await answerer.toApprove(whole.map((call) => toModelCall(call, how)));
    },
    async answer(given, how = {}) {
      assertAnswerOptions("answer()", how);
      const { calls, cut } = read(given);
      const declaration = latest ?? declare();
      const presented = await runAll(calls, async (call) =>
        call === cut ? refused(cutOffReason) : await answerer.answer(toModelCall(call, how), declaration),
      );
      const outputs = presented.map(chatOutput);
      const answers = calls.map(({ id }, at): ChatCompletionToolMessageParam => ({
        role: "tool",
        tool_call_id: id,
        content: outputs[at]?.content ?? "",
      }));
      const shown = calls.flatMap(({ id, function: { name } }, at) => {
        const { media = [] } = outputs[at] ?? {};
        return media.length === 0 ? [] : chatMediaParts(`What the call ${id} of the tool ${name} showed:`, media);
      });
      return shown.length === 0 ? answers : [...answers, { role: "user", content: shown }];
    },
    leftOut: () => answerer.declare(own).leftOut,
  };
}

interface CallsOfMessage {
  readonly calls: readonly ChatCompletionMessageFunctionToolCall[];
  /** At which the output ended. */
  readonly cut: ChatCompletionMessageToolCall | undefined;
}

function toModelCall(
  { id, function: { name, arguments: args } }: ChatCompletionMessageFunctionToolCall,
  how: AnswerOptions,
): ModelCall {
  return { ...how, id, name, args };
}

function isFunctionCall(call: ChatCompletionMessageToolCall): call is ChatCompletionMessageFunctionToolCall {
  return call.type === "function";
}
