import type { Tool } from "ai";
import type { AnswerFile, AnswerPart, CallAnswer } from "../answer/call-answer.ts";

/** What the AI SDK puts into a prompt as the result of a call. */
export type ModelOutput = Awaited<ReturnType<NonNullable<Tool["toModelOutput"]>>>;

type ContentPart = Extract<ModelOutput, { readonly type: "content" }>["value"][number];

/**
 * What the model gets of an answer: a failure as `error-json`, which providers mark as one where
 * their API can; else `text` for one text, and `content` for more than that. `dataOf` gives the
 * data of a file, as base64; without it the model gets its type and size.
 */
export function toModelOutput(answer: CallAnswer, dataOf: (file: AnswerFile) => string | undefined): ModelOutput {
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
