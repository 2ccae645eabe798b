import type { Presented, PresentedBlock, PresentedMedia } from "@hostside/results";
import type {
  DocumentBlockParam,
  ImageBlockParam,
  TextBlockParam,
  ToolResultBlockParam,
} from "@anthropic-ai/sdk/resources/messages";
import { replaceMedia } from "../replace-media.ts";

/** The answer to one call, and what of it cannot stand inside of a `tool_result`. */
export interface ToolResultParts {
  readonly result: ToolResultBlockParam;
  /** For the same message, after all of its results. */
  readonly beside: readonly (TextBlockParam | MediaBlock)[];
}

type MediaBlock = ImageBlockParam | DocumentBlockParam;

// What a `tool_result` takes, by the types of the SDK: there is no part for a sound, or for another
// file.
const takes: ReadonlySet<string> = new Set([
  "image/jpeg",
  "image/png",
  "image/gif",
  "image/webp",
  "application/pdf",
  "text/plain",
]);

/**
 * The `tool_result` of one call: texts, pictures, PDF files and plain texts; a notice for any other
 * medium. With `is_error` all content must be text, or the whole request is refused: what a failed
 * call showed then stands beside, after words of the host that say whose it is.
 */
export function toToolResult(id: string, { blocks, isError }: Presented): ToolResultParts {
  const texts: TextBlockParam[] = [];
  const media: MediaBlock[] = [];
  const content: (TextBlockParam | MediaBlock)[] = [];
  for (const block of replaceMedia(withText(blocks), takes)) {
    const part = block.type === "text" ? toText(block.text) : toMedia(block);
    content.push(part);
    if (part.type === "text") texts.push(part);
    else media.push(part);
  }
  const result = { type: "tool_result", tool_use_id: id } as const;
  if (!isError) return { result: { ...result, content }, beside: [] };
  const said = texts.length > 0 ? texts : [toText("the tool failed")];
  const beside = media.length > 0 ? [toText(`What the failed call ${id} showed; data of a tool:`), ...media] : [];
  return { result: { ...result, is_error: true, content: said }, beside };
}

/**
 * The answer of a search that found deferred tools: a reference to each, in place of which the API
 * shows the definition. No other content may stand beside one in a `tool_result`, and what servers
 * say of their tools must not stand as the user's words: it is in the definitions.
 */
export function toReferences(id: string, names: readonly string[]): ToolResultParts {
  const content = names.map((name) => ({ type: "tool_reference", tool_name: name }) as const);
  return { result: { type: "tool_result", tool_use_id: id, content }, beside: [] };
}

// The API refuses a request with a text block in which there is nothing but white space, wherever
// it stands.
function withText(blocks: readonly PresentedBlock[]): readonly PresentedBlock[] {
  const said = blocks.filter((block) => block.type !== "text" || block.text.trim() !== "");
  return said.length > 0 ? said : [{ type: "text", part: "notice", text: "(blank text)" }];
}

function toMedia({ mimeType, data }: PresentedMedia): TextBlockParam | MediaBlock {
  switch (mimeType) {
    case "image/jpeg":
    case "image/png":
    case "image/gif":
    case "image/webp":
      return { type: "image", source: { type: "base64", media_type: mimeType, data } };
    case "application/pdf":
      return { type: "document", source: { type: "base64", media_type: mimeType, data } };
    default:
      return toPlainText(data);
  }
}

function toPlainText(data: string): TextBlockParam | DocumentBlockParam {
  const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
  const text = new TextDecoder().decode(bytes);
  if (text.trim() === "") return toText("(blank text)");
  return { type: "document", source: { type: "text", media_type: "text/plain", data: text } };
}

function toText(text: string): TextBlockParam {
  return { type: "text", text };
}
