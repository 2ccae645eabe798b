import { assertNames, type Fields } from "@hostside/core/implement";
import * as messages from "@langchain/core/messages";
import type { InvalidToolCall, ToolCall, ToolMessage } from "@langchain/core/messages";
import type { DynamicStructuredTool } from "@langchain/core/tools";
import { adapterFields, assertAdapterOptions, type AdapterOptions } from "../adapter-options.ts";
import type { ModelCall } from "../answer/answer-call.ts";
import type { CallToApprove } from "../answer/approvals.ts";
import { assertAnswerable, type Answerable } from "../answer/assert-answerable.ts";
import { assertAnswerOptions, type AnswerOptions } from "../answer/answer-options.ts";
import { captureOutcome } from "../answer/capture-outcome.ts";
import { createAnswerer } from "../answer/create-answerer.ts";
import { cutOffReason, refused } from "../answer/refused.ts";
import { runAll } from "../answer/run-all.ts";
import { assertPeer } from "../assert-peer.ts";
import { readOwnFunctions, type OwnFunctionsOptions } from "../declare/own-functions.ts";
import type { Declaration, LeftOutTool } from "../declared-tool.ts";
import { langchain } from "../schema/profiles/frameworks.ts";
import type { ToolSource } from "../tool-source.ts";
import { askByInterrupt } from "./ask-by-interrupt.ts";
import { toMessage, toStructuredTool } from "./structured-tool.ts";
import { toToolOutput, type ToolOutput } from "./tool-output.ts";

/** How tools are handed to LangChain, and calls answered. */
export interface LangChainOptions extends AdapterOptions, OwnFunctionsOptions {
  /**
   * MIME types that the model behind LangChain takes from a tool, in lower case; a notice stands
   * for what is of another one. Default none: not every package for models sends a picture in a way
   * that its API takes, and one that is refused ends the conversation. Name `image/png`,
   * `image/jpeg`, `image/webp` and `image/gif` for Anthropic's models and OpenAI's Responses API.
   */
  readonly media?: readonly string[] | undefined;
}

/** A message of a model, as far as its calls go: an `AIMessage`. */
export interface LangChainMessage {
  readonly tool_calls?: readonly ToolCall[] | undefined;
  readonly invalid_tool_calls?: readonly InvalidToolCall[] | undefined;
  /** In which the packages for models say why the output ended. */
  readonly response_metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** The tools of one conversation through LangChain. */
export interface LangChainTools {
  /**
   * What to hand to `model.bindTools()` before each request, or to an agent: what the source offers
   * now, in its order.
   */
  tools(): DynamicStructuredTool[];
  /**
   * Runs the calls of a message, all at once, and gives a message for each, in their order; empty
   * when there is nothing to answer. Whatever goes wrong with a call is its message, with
   * `status: "error"`. Of a message with no other calls, those whose arguments LangChain could not
   * read are answered, too. The call at which the output was cut off is not run. Rejects with
   * `aborted` when the signal aborts, after all calls have ended. Answering one message twice runs
   * its calls twice.
   */
  answer(message: LangChainMessage, options?: AnswerOptions): Promise<ToolMessage[]>;
  /**
   * The calls to approve; their ids are for `approved` of `answer()`. None where the policy has a
   * handler.
   */
  toApprove(message: LangChainMessage, options?: AnswerOptions): Promise<readonly CallToApprove[]>;
  /** What is not declared now, and why. */
  leftOut(): readonly LeftOutTool[];
}

const fields: Fields<LangChainOptions> = { ...adapterFields, media: true, ownFunctions: true };

const answerable: Answerable = {
  takes: "a message of the model",
  members: ["tool_calls", "invalid_tool_calls", "content"],
  lists: ["tool_calls", "invalid_tool_calls"],
  optional: true,
};

/**
 * Tools for LangChain and LangGraph from a view, a toolbox or a provider; one for each
 * conversation. Throws a `TypeError` that names the option it cannot use.
 */
export function createLangChainTools(source: ToolSource, options: LangChainOptions = {}): LangChainTools {
  assertPeer({ where: "createLangChainTools()", peer: "@langchain/core@1", has: messages.isMessage });
  assertAdapterOptions("createLangChainTools()", options, fields);
  const { media = [], ownFunctions, ...shared } = options;
  assertNames("media", media);
  const takes = new Set(media);
  const own = readOwnFunctions(ownFunctions);
  const answerer = createAnswerer(source, langchain, shared);
  const means = { ...shared, source };
  let latest: Declaration | undefined;
  const declare = (): Declaration => (latest = answerer.declare(own));

  const read = (message: LangChainMessage): { calls: CallToAnswer[]; cut: CallToAnswer | undefined } => {
    assertAnswerable(message, answerable);
    const all = callsOf(message);
    return { calls: all.filter(({ name }) => !own.has(name)), cut: isCutOff(message) ? all.at(-1) : undefined };
  };
  const run = async (call: ModelCall, declaration: Declaration): Promise<ToolOutput> =>
    toToolOutput(await captureOutcome(declaration, call, means), takes);
  return {
    tools() {
      const declaration = declare();
      return declaration.tools.map((tool) =>
        toStructuredTool(tool, {
          run: (call) => run({ ...call, name: tool.name }, declaration),
          ask: (call) => askByInterrupt(tool, call, means),
        }),
      );
    },
    async toApprove(message, how = {}) {
      assertAnswerOptions("toApprove()", how);
      const { calls, cut } = read(message);
      const whole = calls.filter((call) => call !== cut);
      return await answerer.toApprove(whole.map((call) => ({ ...how, ...call })));
    },
    async answer(message, how = {}) {
      assertAnswerOptions("answer()", how);
      const declaration = latest ?? declare();
      const { calls, cut } = read(message);
      const answers = await runAll(calls, async (call) => {
        const { id, name } = call;
        if (call === cut) return toMessage(name, id, toToolOutput({ presented: refused(cutOffReason) }, takes));
        return toMessage(name, id, await run({ ...how, ...call }, declaration));
      });
      return [...answers];
    },
    leftOut: () => answerer.declare(own).leftOut,
  };
}

// Each package has its own member and word for it: Anthropic's, OpenAI's and its compatible ones',
// Google's.
const reasonMembers = ["stop_reason", "finish_reason", "finishReason", "status"];
const cutOffReasons = new Set<unknown>([
  "max_tokens",
  "model_context_window_exceeded",
  "refusal",
  "length",
  "content_filter",
  "incomplete",
  "MAX_TOKENS",
]);

function isCutOff({ response_metadata: metadata = {} }: LangChainMessage): boolean {
  return reasonMembers.some((member) => cutOffReasons.has(metadata[member]));
}

interface CallToAnswer {
  readonly id: string;
  readonly name: string;
  readonly args: unknown;
}

// With calls that could be read, the packages for models send those alone: an answer to another one
// would be refused.
function callsOf({ tool_calls: calls = [], invalid_tool_calls: invalid = [] }: LangChainMessage): CallToAnswer[] {
  return (calls.length > 0 ? calls : invalid).map(({ id = "", name = "", args }) => ({ id, name, args }));
}
