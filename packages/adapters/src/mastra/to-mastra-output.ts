import type { JsonValue } from "@hostside/core";
import type { AnswerFile, AnswerPart, CallAnswer } from "../answer/call-answer.ts";

/**
 * What Mastra keeps as the result of a call for the model, in the words of the second version of
 * the AI SDK's provider interface.
 */
export type MastraOutput =
  | { readonly type: "text"; readonly value: string }
  | { readonly type: "error-json"; readonly value: JsonValue }
  | {
      readonly type: "content";
      readonly value: readonly (
        | { readonly type: "text"; readonly text: string }
        | { readonly type: "media"; readonly mediaType: string; readonly data: string }
      )[];
    };

type ContentPart = Extract<MastraOutput, { readonly type: "content" }>["value"][number];

/**
 * What the model gets of an answer: a failure as `error-json`, else `text` for one text, and
 * `content` for more than that. `dataOf` gives the data of a file, as base64; without it the model
 * gets its type and size.
 */
export function toMastraOutput(answer: CallAnswer, dataOf: (file: AnswerFile) => string | undefined): MastraOutput {
  if (answer.isError) {
    const { isError: _isError, ...value } = answer;
    return { type: "error-json", value };
  }
  const parts = answer.content.map((part) => toContentPart(part, dataOf));
  const [first, second] = parts;
  if (first?.type === "text" && second === undefined) return { type: "text", value: first.text };
  return { type: "content", value: parts };
}

function toContentPart(part: AnswerPart, dataOf: (file: AnswerFile) => string | undefined): ContentPart {
  if (part.type === "text") return { type: "text", text: part.text };
  const { type, mimeType, bytes } = part;
  const data = dataOf(part);
  if (data === undefined) return { type: "text", text: `[${type}: ${mimeType}, ${bytes} bytes; not shown]` };
  return { type: "media", mediaType: mimeType, data };
}
