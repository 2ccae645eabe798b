import type { Progress, ToolOutcome } from "@hostside/core";
import { dropUnseen } from "@hostside/core/implement";
import * as sdk from "ai";
import type { ModelMessage, ToolSet, Tool } from "ai";
import { captureOutcome } from "../answer/capture-outcome.ts";
import { onlyTool } from "../declare/only-tool.ts";
import type { DeclaredTool } from "../declared-tool.ts";
import { callingBy, type ToolSource } from "../tool-source.ts";
import type { ReadAiSdkOptions } from "./ai-sdk-options.ts";
import { followProgress } from "./follow-progress.ts";
import {
  isCallAnswer,
  toCallAnswer,
  type AnswerFile,
  type CallAnswer,
  type AnswerPart,
} from "../answer/call-answer.ts";

/** Makes tools of the AI SDK. */
export interface AiSdkToolMaker {
  make(tool: DeclaredTool): ToolSet[string];
  /** The outcome that an answer was made of. */
  outcomeOf(answer: unknown): ToolOutcome | undefined;
}

/** A call that the SDK asks about. */
export interface AiSdkCall {
  readonly toolCallId: string;
  readonly input: unknown;
  readonly messages: readonly ModelMessage[];
}

interface CallToAnswer {
  readonly id: string;
  readonly input: unknown;
  readonly signal: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** Makes the tools of one conversation. */
export function createAiSdkToolMaker(
  source: ToolSource,
  options: ReadAiSdkOptions,
  asks: (tool: DeclaredTool, call: AiSdkCall) => Promise<boolean>,
): AiSdkToolMaker {
  const { files, maxFileBytes, progress, shared } = options;
  const outcomes = new WeakMap<object, ToolOutcome>();
  const data = new WeakMap<AnswerFile, string>();
  const dataOf = (file: AnswerFile): string | undefined =>
    files === "none" ? undefined : (file.data ?? data.get(file));

  const answer = async (tool: DeclaredTool, { id, input, signal, onProgress }: CallToAnswer): Promise<CallAnswer> => {
    const reporting = callingBy(source, (name, args, given) => source.call(name, args, { ...given, onProgress }));
    const { presented, outcome } = await captureOutcome(
      onlyTool(tool),
      // The SDK executes no call before it is approved.
      { name: tool.name, args: input, signal, id, approved: true },
      { ...shared, source: reporting },
    );
    const { answer: made, dropped } = toCallAnswer(presented, maxFileBytes);
    if (outcome !== undefined) outcomes.set(made, outcome);
    for (const [file, base64] of dropped) data.set(file, base64);
    return made;
  };
  return {
    make: (tool) =>
      sdk.dynamicTool({
        description: tool.description,
        inputSchema: sdk.jsonSchema(tool.inputSchema),
        strict: tool.strict,
        metadata: metadataOf(tool),
        // For generations without the setting `toolApproval`, which goes before it.
        needsApproval: (input, { toolCallId, messages }) => asks(tool, { toolCallId, input, messages }),
        execute: (input, { abortSignal: signal, toolCallId: id }) =>
          progress
            ? followProgress((onProgress) => answer(tool, { id, input, signal, onProgress }))
            : answer(tool, { id, input, signal }),
        toModelOutput: ({ output }) =>
          isCallAnswer(output)
            ? toModelOutput(output, dataOf)
            : { type: "text", value: "[the result was not kept in a form that can be read]" },
      }),
    outcomeOf: (made) => (typeof made === "object" && made !== null ? outcomes.get(made) : undefined),
  };
}

/** Where the tool is from: for those who show calls, never for the model. */
function metadataOf({ definition: { origin, title } }: DeclaredTool): { [key: string]: string } {
  return {
    ...(origin !== undefined && { serverId: origin.serverId, toolName: dropUnseen(origin.toolName) }),
    ...(title !== undefined && { title }),
  };
}

/** What the AI SDK puts into a prompt as the result of a call. */
export type ModelOutput = Awaited<ReturnType<NonNullable<Tool["toModelOutput"]>>>;

type ContentPart = Extract<ModelOutput, { readonly type: "content" }>["value"][number];

/**
 * What the model gets of an answer: a failure as `error-json`, which providers mark as one where
 * their API can; else `text` for one text, and `content` for more than that. `dataOf` gives the
 * data of a file, as base64; without it the model gets its type and size.
 */
function toModelOutput(answer: CallAnswer, dataOf: (file: AnswerFile) => string | undefined): ModelOutput {
  if (answer.isError) {
    const { isError: _isError, ...value } = answer;
    return { type: "error-json", value };
  }
  const parts = answer.content.map((part) => toContentPart(part, dataOf));
  const [first] = parts;
  if (first === undefined) return { type: "text", value: "(no output)" };
  return parts.length === 1 && first.type === "text"
    ? { type: "text", value: first.text }
    : { type: "content", value: parts };
}

function toContentPart(part: AnswerPart, dataOf: (file: AnswerFile) => string | undefined): ContentPart {
  if (part.type === "text") return { type: "text", text: part.text };
  const { mimeType, bytes, name } = part;
  const data = dataOf(part);
  if (data === undefined) return { type: "text", text: `[${part.type}: ${mimeType}, ${bytes} bytes; not shown]` };
  const filename = name === undefined ? {} : { filename: name };
  return { type: "file", mediaType: mimeType, data: { type: "data", data }, ...filename };
}
