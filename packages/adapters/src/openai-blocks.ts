import type { Presented, PresentedBlock, PresentedMedia } from "@hostside/results";
import { markError } from "./mark-error.ts";
import { replaceMedia } from "./replace-media.ts";

/**
 * What OpenAI's models take of media from a tool: pictures of these types and PDF files. Another
 * one would fail the whole request. https://platform.openai.com/docs/guides/images-vision,
 * https://platform.openai.com/docs/guides/pdf-files
 */
export const openaiMedia: ReadonlySet<string> = new Set([
  "image/png",
  "image/jpeg",
  "image/webp",
  "image/gif",
  "application/pdf",
]);

/** The type of a file that is no picture. */
export const pdf = "application/pdf";

/**
 * The blocks of a presentation as OpenAI's models take them: with the structured content before the
 * first medium, where the texts are, a notice in place of a medium that is not taken, and the mark
 * of an error, for which there is no flag.
 */
export function openaiBlocks({ blocks, isError }: Presented): readonly PresentedBlock[] {
  const taken = replaceMedia(blocks, openaiMedia);
  const marked = isError ? markError(taken) : taken;
  const medium = marked.findIndex(({ type }) => type !== "text");
  if (medium === -1) return marked;
  const behind = marked.slice(medium);
  return [
    ...marked.slice(0, medium),
    ...behind.filter(isStructured),
    ...behind.filter((block) => !isStructured(block)),
  ];
}

function isStructured(block: PresentedBlock): boolean {
  return block.type === "text" && block.part === "structured";
}

/**
 * What a PDF file is called: the end of what its server calls it, with the ending that an API may
 * go by.
 */
export function pdfName({ name = "" }: PresentedMedia): string {
  const last = name.slice(name.lastIndexOf("/") + 1);
  const called = last === "" ? "file" : last;
  return called.toLowerCase().endsWith(".pdf") ? called : `${called}.pdf`;
}
