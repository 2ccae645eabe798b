import type {
  FunctionTool,
  ResponseFunctionToolCall,
  ResponseInputItem,
  ResponseOutputItem,
  ResponseFunctionCallOutputItem,
} from "openai/resources/responses/responses";
import type { CallToApprove } from "../answer/approvals.ts";
import { assertAnswerable, type Answerable } from "../answer/assert-answerable.ts";
import { assertAnswerOptions, type AnswerOptions } from "../answer/answer-options.ts";
import type { ModelCall } from "../answer/answer-call.ts";
import { createAnswerer } from "../answer/create-answerer.ts";
import { cutOffReason, refused } from "../answer/refused.ts";
import { runAll } from "../answer/run-all.ts";
import type { Declaration, LeftOutTool } from "../declared-tool.ts";
import { openaiResponses } from "../schema/profiles/openai.ts";
import type { ToolSource } from "../tool-source.ts";
import { readOpenaiOptions, type OpenaiOptions } from "./openai-options.ts";
import type { Presented, PresentedBlock } from "@hostside/results";
import { toDataUrl } from "../replace-media.ts";
import { openaiBlocks, pdf, pdfName } from "../openai-blocks.ts";

/** A response of a model, as far as its calls go. */
interface CallingResponse {
  readonly output: readonly ResponseOutputItem[];
  readonly status?: string | null | undefined;
}

/** The tools of one conversation through the Responses API. */
export interface ResponsesTools {
  /**
   * What to declare as `tools` of the next request: what the source offers now, in its order, so
   * that what the model searched and selected is there. Each has an explicit `strict`, because the
   * API would try strict mode where nothing is said.
   */
  tools(): FunctionTool[];
  /**
   * Runs the function calls of a response, all at once, and gives their outputs in the order of the
   * calls, for `input` of the next request after the response's own `output`; empty when there is
   * nothing to answer. Of a stream it takes the response of `response.completed`.
   *
   * Whatever goes wrong with a call is its output. A call that was cut off (it is `incomplete`, or
   * the last of a response that is) is not run. Rejects with `aborted` when the signal aborts,
   * after all calls have ended. Answering one response twice runs its calls twice.
   */
  answer(response: CallingResponse, options?: AnswerOptions): Promise<ResponseInputItem.FunctionCallOutput[]>;
  /**
   * The calls to approve; their ids are for `approved` of `answer()`. None where the policy has a
   * handler.
   */
  toApprove(response: CallingResponse, options?: AnswerOptions): Promise<readonly CallToApprove[]>;
  /** What is not declared now, and why. */
  leftOut(): readonly LeftOutTool[];
}

const answerable: Answerable = {
  takes: "a response of the model",
  members: ["output"],
  lists: ["output"],
  optional: false,
};

/**
 * Tools for the Responses API from a view, a toolbox or a provider. Throws a `TypeError` that names
 * the option it cannot use.
 */
export function createResponsesTools(source: ToolSource, options: OpenaiOptions = {}): ResponsesTools {
  const { shared, own } = readOpenaiOptions("createResponsesTools()", options);
  const answerer = createAnswerer(source, openaiResponses, shared);
  // What the model was shown, and what its calls are held to, is what `tools()` gave last.
  let latest: Declaration | undefined;
  const declare = (): Declaration => (latest = answerer.declare(own));
  const read = (response: CallingResponse): ResponseFunctionToolCall[] => {
    assertAnswerable(response, answerable);
    return response.output.filter(isFunctionCall).filter(({ name }) => !own.has(name));
  };
  return {
    tools: () =>
      declare().tools.map(({ name, description, inputSchema, strict }) => ({
        type: "function",
        name,
        description,
        parameters: { ...inputSchema },
        strict,
      })),
    async toApprove(response, how = {}) {
      assertAnswerOptions("toApprove()", how);
      const whole = read(response).filter((call) => !isCut(call, response));
      return await answerer.toApprove(whole.map((call) => toModelCall(call, how)));
    },
    async answer(response, how = {}) {
      assertAnswerOptions("answer()", how);
      const declaration = latest ?? declare();
      const outputs = await runAll(read(response), async (call) => {
        const presented = isCut(call, response)
          ? refused(cutOffReason)
          : await answerer.answer(toModelCall(call, how), declaration);
        return outputOf(call, responsesOutput(presented));
      });
      return [...outputs];
    },
    leftOut: () => answerer.declare(own).leftOut,
  };
}

/** Whether the output ended within a call. */
function isCut(call: ResponseFunctionToolCall, { output, status }: CallingResponse): boolean {
  return call.status === "incomplete" || (status === "incomplete" && call === output.at(-1));
}

function toModelCall({ call_id: id, name, arguments: args }: ResponseFunctionToolCall, how: AnswerOptions): ModelCall {
  return { ...how, id, name, args };
}

function isFunctionCall(item: ResponseOutputItem): item is ResponseFunctionToolCall {
  return item.type === "function_call";
}

function outputOf(
  { call_id, caller }: ResponseFunctionToolCall,
  output: ResponseInputItem.FunctionCallOutput["output"],
): ResponseInputItem.FunctionCallOutput {
  // A call that a program of the model's made is answered to that program.
  return { type: "function_call_output", call_id, output, ...(caller != null && { caller }) };
}

/**
 * The `output` of a `function_call_output`: one text as it is, anything else as parts. The API has
 * no flag for a failure, so that the first text says it.
 */
function responsesOutput(presented: Presented): string | ResponseFunctionCallOutputItem[] {
  const parts = openaiBlocks(presented).map(toPart);
  const [first] = parts;
  return parts.length === 1 && first?.type === "input_text" ? first.text : parts;
}

function toPart(block: PresentedBlock): ResponseFunctionCallOutputItem {
  if (block.type === "text") return { type: "input_text", text: block.text };
  if (block.mimeType !== pdf) return { type: "input_image", image_url: toDataUrl(block) };
  return { type: "input_file", filename: pdfName(block), file_data: toDataUrl(block) };
}
