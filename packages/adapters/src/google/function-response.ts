import type { JsonValue } from "@hostside/core";
import type { Presented, PresentedBlock, PresentedMedia } from "@hostside/results";
import type { FunctionCall, Part } from "@google/genai";
import { replaceMedia } from "../replace-media.ts";

/**
 * Where what a tool shows stands: in its response, as Gemini 3 and later take it, or beside it, for
 * models before.
 */
export type MediaPlace = "in-response" | "beside";

/** The answer to one call, and what of it stands outside of the response. */
export interface FunctionResponseParts {
  readonly response: Part;
  /** For the same content, after all of its responses. */
  readonly beside: readonly Part[];
}

const pictures = ["image/png", "image/jpeg", "image/webp"];

// A response takes pictures and documents; a sound in it fails the request
// (google-gemini/gemini-cli#16741), beside it stands as in any content.
const takes: Readonly<Record<MediaPlace, ReadonlySet<string>>> = {
  "in-response": new Set([...pictures, "application/pdf", "text/plain"]),
  beside: new Set([
    ...pictures,
    "application/pdf",
    "text/plain",
    "audio/wav",
    "audio/mp3",
    "audio/mpeg",
    "audio/aiff",
    "audio/aac",
    "audio/ogg",
    "audio/flac",
  ]),
};

/**
 * The `functionResponse` of one call: `response.output`, or `response.error` of a tool that failed,
 * both of which the API knows. A text is one, structured content is JSON, and where there are both
 * they are `text` and `structured`, or `message` and `structured`.
 */
export function toFunctionResponse(
  { id, name }: FunctionCall,
  presented: Presented,
  place: MediaPlace,
): FunctionResponseParts {
  const blocks = replaceMedia(presented.blocks, takes[place]);
  const parts = blocks.flatMap((block) => (block.type === "text" ? [] : [toInlineData(block)]));
  const response = presented.isError ? { error: toError(blocks) } : { output: toOutput(blocks) };
  return {
    response: {
      functionResponse: {
        // Who has no id for the call must not get one back.
        ...(id !== undefined && { id }),
        ...(name !== undefined && { name }),
        response,
        ...(place === "in-response" && parts.length > 0 && { parts }),
      },
    },
    beside: place === "beside" ? parts : [],
  };
}

interface Said {
  readonly text: string;
  /** Absent where a text says it already, or only a part of it is shown. */
  readonly structured?: JsonValue | undefined;
}

function toOutput(blocks: readonly PresentedBlock[]): unknown {
  const { text, structured } = separate(blocks);
  if (structured === undefined) return text;
  return text === "" ? structured : { text, structured };
}

function toError(blocks: readonly PresentedBlock[]): unknown {
  const { text, structured } = separate(blocks);
  return { message: text === "" ? "the tool failed" : text, ...(structured !== undefined && { structured }) };
}

function separate(blocks: readonly PresentedBlock[]): Said {
  const texts: string[] = [];
  let structured: JsonValue | undefined;
  for (const block of blocks) {
    if (block.type !== "text") continue;
    const value = block.part === "structured" ? parse(block.text) : undefined;
    if (value === undefined) texts.push(block.text);
    else structured = value;
  }
  return { text: texts.join("\n"), structured };
}

// A presenter may have cut it, or put it between marks: then it is a text, and the marks count. So
// it is where the API would refuse the value: half of a surrogate pair, which JSON can write and
// UTF-8 cannot, and more levels than a protobuf message of JSON may have, which are 100.
function parse(text: string): JsonValue | undefined {
  if (/\\u[dD][89a-fA-F]/.test(text)) return undefined;
  try {
    const value = JSON.parse(text) as JsonValue;
    return fitsWithin(value, 64) ? value : undefined;
  } catch {
    return undefined;
  }
}

function fitsWithin(value: JsonValue | undefined, levels: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return levels > 0 && Object.values(value).every((member: JsonValue | undefined) => fitsWithin(member, levels - 1));
}

function toInlineData({ mimeType, data }: PresentedMedia): { inlineData: { mimeType: string; data: string } } {
  return { inlineData: { mimeType, data } };
}
