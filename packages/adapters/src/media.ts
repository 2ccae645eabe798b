import type { Presented, PresentedBlock, PresentedMedia } from "@hostside/results";

/**
 * Blocks of which an API takes all: in place of a picture, a sound or a file that `takes` does not
 * name stands a text that says what is missing. `takes` has MIME types, in lower case.
 */
export function replaceMedia(blocks: readonly PresentedBlock[], takes: ReadonlySet<string>): readonly PresentedBlock[] {
  return blocks.map((block) => {
    if (block.type === "text" || takes.has(block.mimeType)) return block;
    const text = `[${block.type} of ${JSON.stringify(block.mimeType)}, ${block.bytes} bytes, is not shown: this model takes none from a tool]`;
    return { type: "text", part: "notice", text };
  });
}

/** The texts of blocks, a line each. */
export function joinTexts(blocks: readonly PresentedBlock[]): string {
  return blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}

// Marks a failure where an API has no flag for it.
const errorMarker = "[tool error]";

/** Blocks whose first text says that the tool failed. */
export function markError(blocks: readonly PresentedBlock[]): readonly PresentedBlock[] {
  const first = blocks.findIndex(({ type }) => type === "text");
  if (first === -1) return [{ type: "text", part: "error", text: errorMarker }, ...blocks];
  return blocks.map((block, at) =>
    at === first && block.type === "text" ? { ...block, text: `${errorMarker} ${block.text}` } : block,
  );
}

/** A medium as a `data:` URL. */
export function toDataUrl({ mimeType, data }: PresentedMedia): string {
  return `data:${mimeType};base64,${data}`;
}

/** The type of a file that is no picture. */
export const pdf = "application/pdf";

/**
 * The media that OpenAI's models take from a tool: pictures of these types and PDF files. Another
 * one would fail the whole request. https://platform.openai.com/docs/guides/images-vision,
 * https://platform.openai.com/docs/guides/pdf-files
 */
export const openaiMedia: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/webp", "image/gif", pdf]);

/**
 * The blocks of a presentation as OpenAI's models take them: texts before media, a notice in place
 * of a medium that is not taken, and the mark of an error.
 */
export function openaiBlocks({ blocks, isError }: Presented): readonly PresentedBlock[] {
  const taken = replaceMedia(blocks, openaiMedia);
  const marked = isError ? markError(taken) : taken;
  const medium = marked.findIndex(({ type }) => type !== "text");
  const isStructured = (block: PresentedBlock): boolean => block.type === "text" && block.part === "structured";
  if (medium === -1) return marked;
  const behind = marked.slice(medium);
  return [
    ...marked.slice(0, medium),
    ...behind.filter(isStructured),
    ...behind.filter((block) => !isStructured(block)),
  ];
}

/**
 * The name of a PDF file: the end of what its server calls it, with the ending that an API may
 * go by.
 */
export function pdfName({ name = "" }: PresentedMedia): string {
  const last = name.slice(name.lastIndexOf("/") + 1);
  const called = last === "" ? "file" : last;
  return called.toLowerCase().endsWith(".pdf") ? called : `${called}.pdf`;
}
