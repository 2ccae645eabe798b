import type { PresentedBlock, PresentedMedia } from "@hostside/results";

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

/** A medium as a `data:` URL. */
export function toDataUrl({ mimeType, data }: PresentedMedia): string {
  return `data:${mimeType};base64,${data}`;
}
