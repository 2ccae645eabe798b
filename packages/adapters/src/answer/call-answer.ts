import type { HostsideErrorCode, JsonValue, ToolOutcome } from "@hostside/core";
import { isJsonObject, sameJson } from "@hostside/core/implement";
import type { Presented, PresentedBlock, PresentedError, PresentedMedia } from "@hostside/results";
import type { DeclaredTool } from "../declare/declare-tools.ts";
import { answerCall, type AnswerMeans, type ModelCall } from "./answer-call.ts";

/** A picture, a sound or a file of an answer. */
export interface AnswerFile {
  readonly type: PresentedMedia["type"];
  readonly mimeType: string;
  /** Decoded. */
  readonly bytes: number;
  readonly name?: string;
  /** Base64. Absent where it would make the answer too big to travel. */
  readonly data?: string;
}

/** A piece of an answer. */
export type AnswerPart = { readonly type: "text"; readonly text: string } | AnswerFile;

/**
 * The result of `execute`, and so what is in the steps of a generation, in what is streamed to
 * a user's browser and in messages that are kept: JSON, bounded, without `_meta`, each thing once.
 * A failure has what the model reads of it: the words of the tool as `message`, its structured
 * content, the MIME types of what is not shown; and where there is no result, the code of the error
 * with what a model can do about it.
 */
export type CallAnswer =
  | { readonly isError: false; readonly content: readonly AnswerPart[] }
  | {
      readonly isError: true;
      readonly message: string;
      readonly structured?: JsonValue;
      readonly omitted?: readonly string[];
      readonly code?: HostsideErrorCode;
      readonly retryable?: boolean;
      readonly outcome?: PresentedError["outcome"];
      readonly violations?: readonly { readonly pointer: string; readonly message: string }[];
    };

/** Answers calls, and remembers in this process what the answers do not carry. */
export interface CallAnswers {
  answer(tool: DeclaredTool, call: Omit<ModelCall, "name">): Promise<CallAnswer>;
  /** The whole outcome behind an answer. */
  outcomeOf(answer: unknown): ToolOutcome | undefined;
  /** The data of a file, as base64. */
  dataOf(file: AnswerFile): string | undefined;
}

/**
 * Makes {@linkcode CallAnswers}. Files whose sizes come to more than `maxFileBytes` in one answer
 * are named in it without their data.
 */
export function createCallAnswers(means: AnswerMeans, maxFileBytes: number): CallAnswers {
  const outcomes = new WeakMap<object, ToolOutcome>();
  const data = new WeakMap<AnswerFile, string>();
  const toSuccess = ({ blocks }: Presented): CallAnswer => {
    const bytes = blocks.reduce((sum, block) => sum + (block.type === "text" ? 0 : block.bytes), 0);
    const content = blocks.map((block): AnswerPart => {
      if (block.type === "text") return { type: "text", text: block.text };
      const { type, mimeType, name, data: base64 } = block;
      const file = { type, mimeType, bytes: block.bytes, ...(name !== undefined && { name }) };
      if (bytes <= maxFileBytes) return { ...file, data: base64 };
      data.set(file, base64);
      return file;
    });
    return { isError: false, content };
  };
  return {
    async answer(tool, call) {
      // Frameworks execute no call before it is approved.
      const approved = { ...call, name: tool.name, approved: true };
      const { presented, outcome } = await answerCall(() => tool, approved, means);
      const made = presented.isError ? toFailure(presented) : toSuccess(presented);
      if (outcome !== undefined) outcomes.set(made, outcome);
      return made;
    },
    outcomeOf: (made) => (typeof made === "object" && made !== null ? outcomes.get(made) : undefined),
    dataOf: (file) => file.data ?? data.get(file),
  };
}

function toFailure({ blocks, structured, error, omitted }: Presented): CallAnswer {
  // A presenter may write around the JSON, such as marks that say who speaks. Then its text is what
  // the model gets, and not the bare value.
  const isBare = blocks.some((block) => isJsonOf(block, structured));
  const texts = blocks.flatMap((block) => (block.type === "text" && !isJsonOf(block, structured) ? [block.text] : []));
  const types = blocks.flatMap((block) => (block.type === "text" ? [] : [block.mimeType]));
  const missing = [...types, ...omitted.flatMap(({ mimeType }) => mimeType ?? [])];
  return {
    isError: true,
    message: error?.message ?? (texts.length > 0 ? texts.join("\n") : "the tool says that it failed"),
    ...(structured !== undefined && isBare && { structured }),
    ...(missing.length > 0 && { omitted: missing }),
    ...(error !== undefined && { code: error.code, retryable: error.retryable, outcome: error.outcome }),
    ...(error?.violations !== undefined && { violations: error.violations }),
  };
}

/**
 * Says whether a block is the bare JSON of the structured content. It is not where a presenter
 * wrote around it, such as delimiters that say who speaks.
 */
export function isJsonOf(block: PresentedBlock, structured: JsonValue | undefined): boolean {
  if (block.type !== "text" || block.part !== "structured" || structured === undefined) return false;
  try {
    return sameJson(JSON.parse(block.text), structured);
  } catch {
    return false;
  }
}

/** The result of a call as a framework puts it into a prompt. */
export type ModelOutput<Part> =
  | { readonly type: "text"; readonly value: string }
  | { readonly type: "error-json"; readonly value: JsonValue }
  | { readonly type: "content"; readonly value: ({ readonly type: "text"; readonly text: string } | Part)[] };

/**
 * Makes what the model gets of an answer, which may come back from messages that were kept: a
 * failure as `error-json`, else `text` for one text, and `content` for more than that. `toPart`
 * makes the part of a file; where it makes none, the model gets the type and size.
 */
export function toModelOutput<Part>(
  answer: unknown,
  toPart: (file: AnswerFile) => Part | undefined,
): ModelOutput<Part> {
  if (!isCallAnswer(answer)) return { type: "text", value: "[the result was not kept in a form that can be read]" };
  if (answer.isError) {
    const { isError: _isError, ...value } = answer;
    return { type: "error-json", value };
  }
  const [first, ...others] = answer.content;
  if (first === undefined) return { type: "text", value: "(no output)" };
  if (first.type === "text" && others.length === 0) return { type: "text", value: first.text };
  const value = answer.content.map((part) => {
    if (part.type === "text") return { type: part.type, text: part.text };
    const { type, mimeType, bytes } = part;
    return toPart(part) ?? { type: "text" as const, text: `[${type}: ${mimeType}, ${bytes} bytes; not shown]` };
  });
  return { type: "content", value };
}

function isCallAnswer(value: unknown): value is CallAnswer {
  if (!isJsonObject(value)) return false;
  if (value["isError"] === true) return typeof value["message"] === "string";
  const { content } = value;
  return value["isError"] === false && Array.isArray(content) && content.every(isPart);
}

function isPart(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const { type, text, mimeType, bytes, data = "", name = "" } = value;
  if (type === "text") return typeof text === "string";
  return typeof bytes === "number" && [type, mimeType, data, name].every((member) => typeof member === "string");
}
