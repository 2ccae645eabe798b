import type { Presented, PresentedMedia } from "@hostside/results";
import type { ChatCompletionContentPart } from "openai/resources/chat/completions/completions";
import { isJsonOf } from "../answer/is-json-of.ts";
import { replaceMedia, toDataUrl } from "../replace-media.ts";
import { openaiMedia, pdf, pdfName } from "../openai-blocks.ts";

/** What a tool message says, and the media that cannot stand in one. */
export interface ChatOutput {
  readonly content: string;
  readonly media: readonly PresentedMedia[];
}

/**
 * The content of a `tool` message, which is text alone: the texts, a line each; of a tool that
 * failed as JSON, `{error, structured?}`, because the API has no flag for that.
 */
export function chatOutput({ blocks, isError, structured }: Presented): ChatOutput {
  const media: PresentedMedia[] = [];
  const texts: string[] = [];
  let separate = false;
  for (const block of replaceMedia(blocks, openaiMedia)) {
    if (block.type !== "text") media.push(block);
    else if (isError && isJsonOf(block, structured)) separate = true;
    else texts.push(block.text);
  }
  // Whoever reads an empty text would think that the tool brought nothing.
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
export function chatMediaParts(label: string, media: readonly PresentedMedia[]): readonly ChatCompletionContentPart[] {
  return [
    { type: "text", text: label },
    ...media.map((one): ChatCompletionContentPart => {
      if (one.mimeType !== pdf) return { type: "image_url", image_url: { url: toDataUrl(one) } };
      return { type: "file", file: { filename: pdfName(one), file_data: toDataUrl(one) } };
    }),
  ];
}
