// For products: tools for OpenAI's Responses API and Chat Completions, and the answers to their
// calls.
import type { Presented, PresentedBlock, PresentedMedia } from "@hostside/results";
import type {
  ChatCompletionContentPart,
  ChatCompletionFunctionTool,
  ChatCompletionMessageFunctionToolCall,
  ChatCompletionMessageToolCall,
  ChatCompletionToolMessageParam,
  ChatCompletionUserMessageParam,
} from "openai/resources/chat/completions/completions";
import type {
  FunctionTool,
  ResponseFunctionCallOutputItem,
  ResponseFunctionToolCall,
  ResponseInputItem,
  ResponseOutputItem,
} from "openai/resources/responses/responses";
import {
  apiAdapterFields,
  assertAnswerable,
  createApiTools,
  cutOffReason,
  type ApiAdapterOptions,
  type ApiTools,
  type ReadCall,
} from "./answer/api-calls.ts";
import { isJsonOf } from "./answer/call-answer.ts";
import { assertAdapterOptions, type ToolSource } from "./declare/tool-source.ts";
import { openaiBlocks, openaiMedia, pdf, pdfName, replaceMedia, toDataUrl } from "./media.ts";
import { openai } from "./schema/profiles.ts";

/**
 * A message of a model, as far as its tool calls go: of a completion, or put together from the
 * pieces of a stream.
 */
interface CallingMessage {
  readonly tool_calls?: readonly ChatCompletionMessageToolCall[] | null | undefined;
}

/** A choice of a completion, as far as its calls go. */
interface CallingChoice {
  readonly message: CallingMessage;
  readonly finish_reason?: string | null | undefined;
}

/**
 * The tools of one conversation through Chat Completions. `answer()` gives one tool message for
 * each call and, when tools showed pictures or files, one user message that has these, because a
 * tool message takes text alone; nothing when there is nothing to answer. If the output of a choice
 * was cut off (`finish_reason`: `length`, `content_filter`), the last call is not run; in a message
 * alone that does not show where a call has no arguments yet.
 */
export type ChatTools = ApiTools<
  ChatCompletionFunctionTool,
  CallingMessage | CallingChoice,
  (ChatCompletionToolMessageParam | ChatCompletionUserMessageParam)[]
>;

/**
 * Tools for Chat Completions from a view, a toolbox or a provider. Throws a `TypeError` that names
 * the option it cannot use.
 *
 * @example
 * const mcp = createChatTools(view);
 * const tools = mcp.tools();
 * const { choices } = await client.chat.completions.create({ model, messages, tools });
 * const answers = await mcp.answer(choices[0]); // empty: the model called nothing
 */
export function createChatTools(source: ToolSource, options: ApiAdapterOptions = {}): ChatTools {
  assertAdapterOptions("createChatTools()", options, apiAdapterFields);
  return createApiTools(source, options, {
    profile: openai,
    read: readChatCalls,
    toTools: (declared) =>
      declared.map(({ name, description, inputSchema }) => ({
        type: "function",
        function: { name, description, parameters: { ...inputSchema }, strict: false },
      })),
    toAnswer(answers) {
      const outputs = answers.map((answer) => ({ ...answer, ...chatOutput(answer.presented) }));
      const messages = outputs.map(({ call: { id }, content }): ChatCompletionToolMessageParam => ({
        role: "tool",
        tool_call_id: id,
        content,
      }));
      const shown = outputs.flatMap(({ call: { id }, name, media }) =>
        media.length === 0 ? [] : chatMediaParts(`What the call ${id} of the tool ${name} showed:`, media),
      );
      return shown.length === 0 ? messages : [...messages, { role: "user", content: shown }];
    },
  });
}

function readChatCalls(
  given: CallingMessage | CallingChoice,
  owner: string,
): readonly ReadCall<ChatCompletionMessageFunctionToolCall>[] {
  const takes = `${owner} takes a message of the model or a choice of a completion, such as completion.choices[0]`;
  const members = ["message", "role", "content", "tool_calls"];
  assertAnswerable(given, takes, members);
  const { message, finish_reason: end }: CallingChoice = "message" in given ? given : { message: given };
  assertAnswerable(message, takes, members);
  const all = message.tool_calls ?? [];
  const cut = end === "length" || end === "content_filter" ? all.at(-1) : undefined;
  return all
    .filter((call) => call.type === "function")
    .map((call) => {
      const { name, arguments: args } = call.function;
      return { call, id: call.id, name, args, refusal: call === cut && cutOffReason };
    });
}

/**
 * The content of a `tool` message, which is text alone: the texts, a line each; of a tool that
 * failed as JSON, `{error, structured?}`, because the API has no flag for that.
 */
function chatOutput({ blocks, isError, structured }: Presented): {
  readonly content: string;
  readonly media: readonly PresentedMedia[];
} {
  const media: PresentedMedia[] = [];
  const texts: string[] = [];
  let separate = false;
  for (const block of replaceMedia(blocks, openaiMedia)) {
    if (block.type !== "text") media.push(block);
    else if (isError && isJsonOf(block, structured)) separate = true;
    else texts.push(block.text);
  }
  // An empty text reads as if the tool brought nothing.
  if (texts.length === 0 && media.length > 0) texts.push("(see the next message of the user)");
  const text = texts.join("\n");
  if (!isError) return { content: text, media };
  const failure = { error: text === "" ? "the tool failed" : text, ...(separate && { structured }) };
  return { content: JSON.stringify(failure), media };
}

/**
 * The parts of the message that has what tools showed, for after all tool messages of a turn.
 * `label` says which call it is of, in the host's own words: what follows is data of a server, and
 * no wish of the user's.
 */
function chatMediaParts(label: string, media: readonly PresentedMedia[]): readonly ChatCompletionContentPart[] {
  return [
    { type: "text", text: label },
    ...media.map((one): ChatCompletionContentPart => {
      if (one.mimeType !== pdf) return { type: "image_url", image_url: { url: toDataUrl(one) } };
      return { type: "file", file: { filename: pdfName(one), file_data: toDataUrl(one) } };
    }),
  ];
}

/** A response of a model, as far as its calls go. */
interface CallingResponse {
  readonly output: readonly ResponseOutputItem[];
  readonly status?: string | null | undefined;
}

/**
 * The tools of one conversation through the Responses API. Each tool has an explicit `strict`,
 * because the API would try strict mode where nothing is said. `answer()` gives outputs for `input`
 * of the next request after the response's own `output`, and nothing when there is nothing to
 * answer. It takes the response of `response.completed` from a stream. A call that was cut off (it
 * is `incomplete`, or the last of a response that is) is not run.
 */
export type ResponsesTools = ApiTools<FunctionTool, CallingResponse, ResponseInputItem.FunctionCallOutput[]>;

/**
 * Tools for the Responses API from a view, a toolbox or a provider. Throws a `TypeError` that names
 * the option it cannot use.
 *
 * @example
 * const mcp = createResponsesTools(view);
 * const response = await client.responses.create({ model, input, tools: mcp.tools() });
 * const answers = await mcp.answer(response); // empty: the model called nothing
 */
export function createResponsesTools(source: ToolSource, options: ApiAdapterOptions = {}): ResponsesTools {
  assertAdapterOptions("createResponsesTools()", options, apiAdapterFields);
  return createApiTools(source, options, {
    profile: openai,
    read: readResponseCalls,
    toTools: (declared) =>
      declared.map(({ name, description, inputSchema }) => ({
        type: "function",
        name,
        description,
        parameters: { ...inputSchema },
        strict: false,
      })),
    toAnswer: (answers) =>
      answers.map(({ call: { call_id, caller }, presented }) => {
        const output = responsesOutput(presented);
        // A call that a program of the model's made is answered to that program.
        return { type: "function_call_output", call_id, output, ...(caller != null && { caller }) };
      }),
  });
}

function readResponseCalls(response: CallingResponse, owner: string): readonly ReadCall<ResponseFunctionToolCall>[] {
  assertAnswerable(response, `${owner} takes a response of the model`, ["output"]);
  const { output, status: end } = response;
  return output
    .filter((item) => item.type === "function_call")
    .map((call) => {
      const { call_id: id, name, arguments: args, status } = call;
      const isCut = status === "incomplete" || (end === "incomplete" && call === output.at(-1));
      return { call, id, name, args, refusal: isCut && cutOffReason };
    });
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
