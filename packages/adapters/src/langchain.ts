// For products: tools for LangChain and LangGraph.
import type * as LangGraph from "@langchain/langgraph";
import type { ToolOutcome } from "@hostside/core";
import { assertNames, dropUnseen, isJsonObject, type Fields } from "@hostside/core/implement";
import type { PresentedBlock, PresentedError } from "@hostside/results";
import * as messages from "@langchain/core/messages";
import { ToolMessage, type ContentBlock, type InvalidToolCall, type ToolCall } from "@langchain/core/messages";
import { DynamicStructuredTool } from "@langchain/core/tools";
import { answerCall, type AnsweredCall, type AnswerMeans, type ModelCall } from "./answer/answer-call.ts";
import {
  apiAdapterFields,
  assertAnswerable,
  createApiTools,
  cutOffReason,
  type ApiAdapterOptions,
  type ApiTools,
  type ReadCall,
} from "./answer/api-calls.ts";
import { noteQuestion, questionOf, requiresApproval } from "./answer/approvals.ts";
import type { DeclaredTool } from "./declare/declare-tools.ts";
import { assertPeer, assertAdapterOptions, type ToolSource } from "./declare/tool-source.ts";
import { joinTexts, markError, replaceMedia } from "./media.ts";
import { portable } from "./schema/profiles.ts";

/** How tools are handed to LangChain, and calls answered. */
interface LangChainOptions extends ApiAdapterOptions {
  /**
   * MIME types that the model behind LangChain takes from a tool, in lower case; a notice stands
   * for what is of another one. Default none: not every package for models sends a picture in a way
   * that its API takes, and one that is refused ends the conversation. Name `image/png`,
   * `image/jpeg`, `image/webp` and `image/gif` for Anthropic's models and OpenAI's Responses API.
   */
  readonly media?: readonly string[] | undefined;
}

/** A message of a model, as far as its calls go: an `AIMessage`. */
interface LangChainMessage {
  readonly tool_calls?: readonly ToolCall[] | undefined;
  readonly invalid_tool_calls?: readonly InvalidToolCall[] | undefined;
  /** In which the packages for models say why the output ended. */
  readonly response_metadata?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * The tools of one conversation through LangChain. `tools()` is for `model.bindTools()` before each
 * request, or for an agent. `answer()` gives a message for each call; a failure has
 * `status: "error"`. Calls whose arguments LangChain could not read are answered, too, in a message
 * with no other calls.
 */
export type LangChainTools = ApiTools<DynamicStructuredTool, LangChainMessage, ToolMessage[]>;

const fields: Fields<LangChainOptions> = { ...apiAdapterFields, media: true };

/**
 * Tools for LangChain and LangGraph from a view, a toolbox or a provider; one for each
 * conversation. Throws a `TypeError` that names the option it cannot use.
 *
 * @example
 * const mcp = createLangChainTools(view, { media: ["image/png"] });
 * const reply = await model.bindTools(mcp.tools()).invoke(messages);
 * messages.push(reply, ...(await mcp.answer(reply)));
 */
export function createLangChainTools(source: ToolSource, options: LangChainOptions = {}): LangChainTools {
  assertPeer("createLangChainTools()", "@langchain/core@1", messages.isMessage);
  assertAdapterOptions("createLangChainTools()", options, fields);
  const { media = [], ...shared } = options;
  assertNames("media", media);
  const takes = new Set(media);
  const means = { ...shared, source };
  return createApiTools(source, shared, {
    profile: portable,
    read: callsOf,
    toTools: (declared) =>
      declared.map((tool) =>
        toStructuredTool(tool, async (call) => {
          const approved = await askByInterrupt(tool, call, means);
          return toToolOutput(await answerCall(() => tool, { ...call, approved }, means), takes);
        }),
      ),
    toAnswer: (answers) => answers.map((answer) => toMessage(answer.name, answer.id, toToolOutput(answer, takes))),
  });
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

function callsOf(message: LangChainMessage, owner: string): readonly ReadCall<undefined>[] {
  const members = ["tool_calls", "invalid_tool_calls", "content"];
  assertAnswerable(message, `${owner} takes a message of the model`, members);
  const { tool_calls: valid = [], invalid_tool_calls: invalid = [] } = message;
  const all = valid.length > 0 ? valid : invalid;
  const isCut = isCutOff(message);
  return all.map(({ id = "", name = "", args }, at) => {
    return { call: undefined, id, name, args, refusal: isCut && at === all.length - 1 && cutOffReason };
  });
}

/**
 * A declared tool as LangChain takes it. With the id of a call it gives a `ToolMessage`, of a
 * failed tool with `status: "error"`; without one its content, and of a failed tool the content
 * that says so.
 *
 * LangChain checks arguments against a JSON Schema itself: it makes regular expressions of the
 * patterns of a server, which may take forever, and throws an error that does not say what is
 * wrong. Here it checks nothing: the tool's server does, and so does a policy, with the place in
 * the arguments.
 */
function toStructuredTool(
  { name, description, inputSchema, definition }: DeclaredTool,
  run: (call: ModelCall) => Promise<ToolOutput>,
): DynamicStructuredTool {
  const { origin } = definition;
  const tool = new DynamicStructuredTool({
    name,
    description,
    schema: inputSchema,
    responseFormat: "content_and_artifact",
    ...(origin !== undefined && { metadata: { serverId: origin.serverId, toolName: dropUnseen(origin.toolName) } }),
    async func(args, _runManager, config) {
      const id = readCallId(config);
      const output = await run({ name, id, args, signal: config?.signal });
      return [output.isError && id !== undefined ? toMessage(name, id, output) : output.content, output.artifact];
    },
  });
  const unchecked: DynamicStructuredTool = Object.create(tool, { schema: { value: { type: "object" } } });
  return Object.defineProperty(tool, "invoke", {
    value: (...args: Parameters<DynamicStructuredTool["invoke"]>) =>
      DynamicStructuredTool.prototype.invoke.apply(unchecked, args),
  });
}

/** The message that answers a call. */
function toMessage(name: string, id: string, { content, artifact, isError }: ToolOutput): ToolMessage {
  return new ToolMessage({ name, tool_call_id: id, content, artifact, status: isError ? "error" : "success" });
}

// LangChain hands the call over in the config, and does not say so in the type.
function readCallId(config: object | undefined): string | undefined {
  const call: unknown = config !== undefined && "toolCall" in config ? config.toolCall : undefined;
  if (typeof call !== "object" || call === null || !("id" in call)) return undefined;
  return typeof call.id === "string" ? call.id : undefined;
}

/** The parts of a result for the model and for the host. */
interface ToolOutput {
  readonly content: string | ContentBlock[];
  readonly artifact: { readonly outcome?: ToolOutcome | undefined; readonly error?: PresentedError | undefined };
  readonly isError: boolean;
}

/**
 * The content of a `ToolMessage`: one text where there is nothing else, otherwise LangChain's
 * standard blocks. A failed tool has texts alone, after `[tool error]`: models' packages do not all
 * send the status, and an API that gets it takes no picture with it.
 */
function toToolOutput({ presented, outcome }: AnsweredCall, takes: ReadonlySet<string>): ToolOutput {
  const { blocks, isError, error } = presented;
  const shown = isError ? markError(replaceMedia(blocks, new Set())) : replaceMedia(blocks, takes);
  return {
    content: shown.every(({ type }) => type === "text") ? joinTexts(shown) : shown.map(toBlock),
    artifact: outcome === undefined ? { error } : { outcome },
    isError,
  };
}

function toBlock(block: PresentedBlock): ContentBlock.Text | ContentBlock.Multimodal.Standard {
  const { type } = block;
  return type === "text" ? { type, text: block.text } : { type, mimeType: block.mimeType, data: block.data };
}

async function loadLangGraph(): Promise<typeof LangGraph | undefined> {
  // Bundlers pass over a package that is not installed only inside of `try`.
  try {
    return await import("@langchain/langgraph");
  } catch {
    return undefined;
  }
}

/**
 * Asks about a call by `interrupt()` of LangGraph, in the shape of LangChain's human in the loop:
 * the graph stops with `{ actionRequests, reviewConfigs }`, and goes on with
 * `{ decisions: [{ type: "approve" }] }`. Any other answer is a no. `undefined` where nobody has to
 * be asked, and outside of a graph that can be resumed: there the policy refuses the call.
 */
async function askByInterrupt(
  tool: DeclaredTool,
  call: ModelCall,
  means: Pick<AnswerMeans, "source" | "context">,
): Promise<boolean | undefined> {
  if (!requiresApproval(means.source, tool)) return undefined;
  const langgraph = await loadLangGraph();
  if (langgraph === undefined) return undefined;
  const asked = questionOf(tool, call);
  if (asked === undefined) return undefined;
  const { name, args, shown } = asked;
  const question = {
    actionRequests: [{ name, args, description: shown.join("\n") }],
    reviewConfigs: [{ actionName: name, allowedDecisions: ["approve", "reject"] }],
  };
  try {
    return isApproval(langgraph.interrupt<object, unknown>(question));
  } catch (error) {
    if (!langgraph.isGraphInterrupt(error)) return undefined;
    // The graph runs the tool anew when it goes on, and then `interrupt()` gives the answer.
    await noteQuestion(tool, call, means);
    throw error;
  }
}

function isApproval(answer: unknown): boolean {
  if (!isJsonObject(answer) || !Array.isArray(answer["decisions"])) return false;
  const [decision, ...others]: unknown[] = answer["decisions"];
  return others.length === 0 && isJsonObject(decision) && decision["type"] === "approve";
}
