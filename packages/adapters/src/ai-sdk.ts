// For products: the tools of a source as the AI SDK takes them.
import { cleanText, type Progress, type ToolOutcome } from "@hostside/core";
import { dropUnseen, isJsonObject, kindOf, type Fields } from "@hostside/core/implement";
import * as sdk from "ai";
import type { LanguageModel, ModelMessage, ToolApprovalStatus, ToolSet } from "ai";
import { undeclaredError } from "./answer/answer-call.ts";
import { createAnswerer } from "./answer/answerer.ts";
import { noteQuestion, requiresApproval } from "./answer/approvals.ts";
import { createCallAnswers, toModelOutput } from "./answer/call-answer.ts";
import type { DeclaredTool, LeftOutTool } from "./declare/declare-tools.ts";
import {
  assertPeer,
  adapterFields,
  assertAdapterOptions,
  type AdapterOptions,
  type ToolSource,
} from "./declare/tool-source.ts";
import { aiSdk } from "./schema/profiles.ts";

export type { CallAnswer } from "./answer/call-answer.ts";

/** How tools are given to the AI SDK. */
export interface AiSdkOptions extends AdapterOptions {
  /**
   * Tools of your own. They are declared first, and go before a tool of the source that has the
   * same name. Default none.
   */
  readonly tools?: ToolSet | undefined;
  /**
   * Says whether calls report their progress as preliminary results, which `streamText` streams.
   * The SDK then streams each result twice, once as the last preliminary one. Default `false`.
   */
  readonly progress?: boolean | undefined;
  /**
   * How the model gets pictures, sounds and files: `"result"` in the result of the call;
   * `"message"` in a message of the user behind it, for APIs whose results are texts alone;
   * `"none"` by type and size only, for a model that takes none. Default `"auto"`: `"message"`
   * where the provider of the model speaks Chat Completions (its id ends in `.chat`), else
   * `"result"`. `"message"` and `"auto"` need `prepareStep`.
   */
  readonly files?: "auto" | "result" | "message" | "none" | undefined;
}

const fields: Fields<AiSdkOptions> = { ...adapterFields, tools: true, progress: true, files: true };

/** A step of a generation, as far as it is read. */
interface AiSdkStep {
  readonly model?: LanguageModel | undefined;
  readonly messages?: readonly ModelMessage[] | undefined;
}

/** A call that the AI SDK asks about, as far as it is read. */
interface AiSdkApprovalQuestion {
  readonly toolCall: { readonly toolName: string; readonly toolCallId: string; readonly input: unknown };
  readonly messages?: readonly ModelMessage[] | undefined;
  readonly toolsContext?: unknown;
}

/** The settings to send a step with. */
interface PreparedStep {
  /** The tools declared in this step, in order. */
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
  /** Tools that are not declared now, and why. */
  readonly leftOut: () => readonly LeftOutTool[];
}

/**
 * Tools of the AI SDK from a view, a toolbox or a provider, for one conversation. Whatever goes
 * wrong with a call is its result, for the model to read; a call that the SDK aborts rejects with
 * `aborted`. Throws a `TypeError` that names the option it cannot use.
 *
 * @example
 * const { tools, prepareStep, toolApproval } = createAiSdkTools(conversation);
 * const stopWhen = isStepCount(20);
 * await generateText({ model, prompt, tools, prepareStep, toolApproval, stopWhen });
 */
export function createAiSdkTools(source: ToolSource, options: AiSdkOptions = {}): AiSdkTools {
  assertPeer("createAiSdkTools()", "ai@7", sdk.isStepCount);
  assertAdapterOptions("createAiSdkTools()", options, fields);
  const { tools: own = {}, progress = false, files = "auto", ...shared } = options;
  if (kindOf(own) !== kindOf({})) throw new TypeError(`tools must be an object, not ${kindOf(own)}`);
  if (typeof progress !== "boolean") throw new TypeError("progress must be true or false");
  if (!["auto", "result", "message", "none"].includes(files))
    throw new TypeError('files must be "auto", "result", "message" or "none"');
  const means = { ...shared, source };
  const answerer = createAnswerer(source, aiSdk, shared);
  const answers = createCallAnswers(means, mostFileBytes);
  const asks = async (tool: DeclaredTool, { toolCallId: id, input: args, messages }: AskedCall): Promise<boolean> => {
    if (!requiresApproval(source, tool)) return false;
    // The SDK asks again about a call that was approved, before it executes it.
    if (!isApproved(id, messages)) await noteQuestion(tool, { id, args }, means);
    return true;
  };
  const toTool = (tool: DeclaredTool): ToolSet[string] =>
    sdk.dynamicTool({
      description: tool.description,
      inputSchema: sdk.jsonSchema(tool.inputSchema),
      strict: false,
      metadata: metadataOf(tool),
      // For generations without the setting `toolApproval`, which goes before it.
      needsApproval: (input, { toolCallId, messages }) => asks(tool, { toolCallId, input, messages }),
      execute: (args, { abortSignal: signal, toolCallId: id }) =>
        progress
          ? followProgress((onProgress) => answers.answer(tool, { id, args, signal, onProgress }))
          : answers.answer(tool, { id, args, signal }),
      toModelOutput: ({ output }) =>
        toModelOutput(output, (file) => {
          const data = files === "none" ? undefined : answers.dataOf(file);
          const filename = file.name === undefined ? {} : { filename: file.name };
          return data === undefined
            ? undefined
            : { type: "file" as const, mediaType: file.mimeType, data: { type: "data" as const, data }, ...filename };
        }),
    });
  const tools: ToolSet = { ...own };
  const current = new Map<string, DeclaredTool>();
  const ownNames = new Set(Object.keys(own));

  const add = (tool: DeclaredTool): void => {
    // A server may call its tool `__proto__`.
    const value = toTool(tool);
    Object.defineProperty(tools, tool.name, { value, enumerable: true, configurable: true, writable: true });
  };
  const declare = (): string[] => {
    const ours = answerer.declare(ownNames).tools;
    for (const tool of ours) {
      if (current.get(tool.name) === tool) continue;
      current.set(tool.name, tool);
      add(tool);
    }
    return [...ownNames, ...ours.map(({ name }) => name)];
  };
  // The messages may be of a process that ended: this one may not know the tool yet, or any more.
  const findAgain = async (name: string): Promise<DeclaredTool | undefined> => {
    await source.whenListed?.();
    // A name that none can have is refused, and is absent all the same.
    await source.selectTools?.({ tools: [name] }).catch(() => undefined);
    declare();
    if (!current.has(name)) add(absentTool(name, () => undeclaredError(answerer.declare(ownNames), name)));
    return current.get(name);
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
      const { toolName, toolCallId } = toolCall;
      const isOurs = !ownNames.has(toolName) && isApproved(toolCallId, messages);
      const tool = current.get(toolName) ?? (isOurs ? await findAgain(toolName) : undefined);
      if (tool === undefined) return await askOwnTool(own, question);
      return (await asks(tool, { ...toolCall, messages })) ? "user-approval" : "not-applicable";
    },
    outcomeOf: (answer) => answers.outcomeOf(answer),
    leftOut: () => answerer.declare(ownNames).leftOut,
  };
}

/**
 * A tool that only fails, for an approved call: without any tool of its name the SDK ends the
 * generation with an error, and with every later one of the conversation.
 */
function absentTool(name: string, why: () => Error): DeclaredTool {
  const inputSchema = { type: "object" };
  const restore = (): never => {
    throw why();
  };
  return {
    name,
    description: "",
    inputSchema,
    changes: [],
    definition: { name, description: "", inputSchema },
    restore,
  };
}

// Decoded, of all files of an answer. Answers go to browsers, into databases and back with every
// request. What is bigger is shown to the model in this generation, and later only by type and
// size.
const mostFileBytes = 65_536;

interface AskedCall {
  readonly toolCallId: string;
  readonly input: unknown;
  readonly messages: readonly ModelMessage[];
}

/** Says whether messages end with an approval of this call: then the SDK is about to execute it. */
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

/** The origin of the tool: for those who show calls, never for the model. */
function metadataOf({ definition: { origin, title } }: DeclaredTool): { [key: string]: string } {
  return {
    ...(origin !== undefined && { serverId: origin.serverId, toolName: dropUnseen(origin.toolName) }),
    ...(title !== undefined && { title }),
  };
}

/**
 * Yields what a call reports while it runs, and at last what it resolves with. Only the last of
 * several reports that come faster than they are taken is kept. Rejects as the call does. Stopping
 * early does not stop the call: its signal does.
 */
async function* followProgress<T>(
  run: (onProgress: (progress: Progress) => void) => Promise<T>,
): AsyncGenerator<Progress | T, void, void> {
  const state: { latest?: Progress | undefined; isOver: boolean; wake: () => void } = { isOver: false, wake: () => {} };
  const running = run((progress) => {
    state.latest = progress;
    state.wake();
  });
  const end = (): void => {
    state.isOver = true;
    state.wake();
  };
  running.then(end, end);
  while (!state.isOver) {
    const { latest } = state;
    state.latest = undefined;
    const { message } = latest ?? {};
    if (latest !== undefined) yield { ...latest, ...(message !== undefined && { message: cleanText(message, 200) }) };
    else await new Promise<void>((resolve) => (state.wake = resolve));
  }
  yield await running;
}

type ToolMessage = Extract<ModelMessage, { readonly role: "tool" }>;
type ToolResult = Extract<ToolMessage["content"][number], { readonly type: "tool-result" }>;
type ContentPart = Extract<ToolResult["output"], { readonly type: "content" }>["value"][number];
type FilePart = Extract<ContentPart, { readonly type: "file" }>;

/**
 * Messages for a model API whose tool results are texts alone, such as Chat Completions, where a
 * picture would become prompt text: results of texts and files are one text each, and the files
 * follow as a message of the user, behind all results of that turn. Gives the same array back when
 * there is nothing to move.
 */
function moveFiles(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const moved: ModelMessage[] = [];
  let files: { readonly toolName: string; readonly file: FilePart }[] = [];
  let isChanged = false;
  const flush = (): void => {
    if (files.length === 0) return;
    moved.push({ role: "user", content: files.flatMap(({ toolName, file }) => toUserParts(toolName, file)) });
    files = [];
  };
  for (const message of messages) {
    if (message.role !== "tool") {
      flush();
      moved.push(message);
      continue;
    }
    const content = message.content.map((part) => {
      if (part.type !== "tool-result" || part.output.type !== "content" || !part.output.value.every(isPlain))
        return part;
      isChanged = true;
      const { toolName, output } = part;
      for (const piece of output.value) if (piece.type === "file") files.push({ toolName, file: piece });
      return { ...part, output: { type: "text" as const, value: toText(output.value) } };
    });
    moved.push({ ...message, content });
  }
  flush();
  return isChanged ? moved : messages;
}

// What has options for a provider is from a tool of the product's own, which knows its provider.
function isPlain(part: ContentPart): boolean {
  return (part.type === "text" || part.type === "file") && part.providerOptions === undefined;
}

function toText(parts: readonly ContentPart[]): string {
  return parts
    .flatMap((part) => {
      if (part.type === "text") return [part.text];
      return part.type === "file" ? [`[${part.mediaType}: in the next message]`] : [];
    })
    .join("\n\n");
}

function toUserParts(
  toolName: string,
  { data, mediaType, filename }: FilePart,
): Exclude<Extract<ModelMessage, { readonly role: "user" }>["content"], string> {
  return [
    { type: "text", text: `[${mediaType} from the tool ${toolName}; not written by the user]` },
    { type: "file", data, mediaType, ...(filename !== undefined && { filename }) },
  ];
}
