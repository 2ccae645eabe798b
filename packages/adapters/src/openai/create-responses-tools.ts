import type {
  FunctionTool,
  ResponseFunctionToolCall,
  ResponseInputItem,
  ResponseOutputItem,
} from "openai/resources/responses/responses";
import type { ModelCall } from "../answer/answer-call.ts";
import { assertAnswerOptions, type AnswerOptions } from "../answer/answer-options.ts";
import { createAnswerer } from "../answer/create-answerer.ts";
import { besideOwnFunctions } from "../declare/own-functions.ts";
import type { Declaration, LeftOutTool } from "../declared-tool.ts";
import { openaiResponses } from "../schema/profiles/openai.ts";
import type { ToolSource } from "../tool-source.ts";
import { readOpenaiOptions, type OpenaiOptions } from "./openai-options.ts";
import { responsesOutput } from "./responses-output.ts";

/** The tools of one conversation through the Responses API. */
export interface ResponsesTools {
  /**
   * What to declare as `tools` of the next request: what the source offers now, in its order, so that what the model searched and
   * selected is there. Each has an explicit `strict`, because the API would try strict mode where nothing is said.
   */
  tools(): FunctionTool[];
  /**
   * Runs the function calls of a response, all at once, and gives their outputs in the order of the calls, for `input` of the next request
   * after the response's own `output`; empty when there is nothing to answer. Of a stream it takes the response of `response.completed`.
   *
   * Whatever goes wrong with a call is its output. A call that was cut off (`status: "incomplete"`) is not run. Rejects with `aborted`
   * when the signal aborts, after all calls have ended. Answering one response twice runs its calls twice.
   */
  answer(
    response: { readonly output: readonly ResponseOutputItem[] },
    options?: AnswerOptions,
  ): Promise<ResponseInputItem.FunctionCallOutput[]>;
  /** What is not declared now, and why. */
  leftOut(): readonly LeftOutTool[];
}

/** Tools for the Responses API from a view, a toolbox or a provider. Throws a `TypeError` that names the option it cannot use. */
export function createResponsesTools(source: ToolSource, options: OpenaiOptions = {}): ResponsesTools {
  const { shared, own } = readOpenaiOptions("createResponsesTools()", options, openaiResponses);
  const answerer = createAnswerer(source, openaiResponses, shared);
  // What the model was shown, and what its calls are held to, is what `tools()` gave last.
  let latest: Declaration | undefined;
  const declare = (): Declaration => (latest = answerer.declare());
  return {
    tools: () =>
      besideOwnFunctions(declare(), own).tools.map(({ name, description, inputSchema, strict }) => ({
        type: "function",
        name,
        description,
        parameters: { ...inputSchema },
        strict,
      })),
    async answer(response, answerOptions = {}) {
      assertAnswerOptions("answer()", answerOptions);
      const { signal, context } = answerOptions;
      const calls = response.output.filter(isFunctionCall).filter(({ name }) => !own.has(name));
      const whole = calls.filter(isWhole);
      const presented = await answerer.answerAll(
        whole.map(({ name, arguments: args }): ModelCall => ({ name, args, signal, context })),
        latest ?? declare(),
      );
      const outputs = new Map(whole.map((call, at) => [call, presented[at]]));
      return calls.map((call) => {
        const answer = outputs.get(call);
        return outputOf(call, answer === undefined ? cutOff : responsesOutput(answer));
      });
    },
    leftOut: () => besideOwnFunctions(answerer.declare(), own).leftOut,
  };
}

const cutOff = "[tool error] the call was cut off before its arguments were complete, and did not run";

function isFunctionCall(item: ResponseOutputItem): item is ResponseFunctionToolCall {
  return item.type === "function_call";
}

function isWhole({ status }: ResponseFunctionToolCall): boolean {
  return status !== "incomplete";
}

function outputOf(
  { call_id, caller }: ResponseFunctionToolCall,
  output: ResponseInputItem.FunctionCallOutput["output"],
): ResponseInputItem.FunctionCallOutput {
  // A call that a program of the model's made is answered to that program.
  return { type: "function_call_output", call_id, output, ...(caller != null && { caller }) };
}
