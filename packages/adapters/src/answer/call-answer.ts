import type { JsonValue, HostsideErrorCode } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import type { Presented, PresentedError, PresentedMedia } from "@hostside/results";
import { isJsonOf } from "./is-json-of.ts";

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
 * What `execute` resolves with, and so what is in the steps of a generation, in what is streamed to
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

/** An answer, and the data of files that it names without them, by file. */
export interface MadeAnswer {
  readonly answer: CallAnswer;
  readonly dropped: ReadonlyMap<AnswerFile, string>;
}

/**
 * Makes the answer of a presentation. Files whose sizes come to more than `maxFileBytes` in all are
 * named in it, without their data.
 */
export function toCallAnswer(presented: Presented, maxFileBytes: number): MadeAnswer {
  const dropped = new Map<AnswerFile, string>();
  if (presented.isError) return { answer: toFailure(presented), dropped };
  const bytes = presented.blocks.reduce((sum, block) => sum + (block.type === "text" ? 0 : block.bytes), 0);
  const content = presented.blocks.map((block): AnswerPart => {
    if (block.type === "text") return { type: "text", text: block.text };
    const { type, mimeType, name, data } = block;
    const file = { type, mimeType, bytes: block.bytes, ...(name !== undefined && { name }) };
    if (bytes <= maxFileBytes) return { ...file, data };
    dropped.set(file, data);
    return file;
  });
  return { answer: { isError: false, content }, dropped };
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
 * Whether a value that came back from messages that were kept is an answer. Its parts are looked at
 * one by one by whoever reads them.
 */
export function isCallAnswer(value: unknown): value is CallAnswer {
  if (!isJsonObject(value)) return false;
  if (value["isError"] === true) return typeof value["message"] === "string";
  return value["isError"] === false && Array.isArray(value["content"]) && value["content"].every(isPart);
}

function isPart(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  if (value["type"] === "text") return typeof value["text"] === "string";
  const { mimeType, bytes, data, name } = value;
  const isFile = value["type"] === "image" || value["type"] === "audio" || value["type"] === "file";
  const isNamed = name === undefined || typeof name === "string";
  return isFile && isNamed && typeof mimeType === "string" && typeof bytes === "number" && isTextOrAbsent(data);
}

function isTextOrAbsent(value: unknown): boolean {
  return value === undefined || typeof value === "string";
}
