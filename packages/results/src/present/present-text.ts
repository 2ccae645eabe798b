import { bytesInWords } from "../media/read-media.ts";
import type { Presented, PresentedBlock } from "../presented.ts";

/** What stands before the text of a result that is an error, where a model API has no flag for that. */
export const toolErrorPrefix = "[tool error] ";

/** Blocks as one text: parted by blank lines, with words in the place of each medium. */
export function joinBlocks({ blocks, isError }: Presented): string {
  const text = blocks.map((block) => textOf(block)).join("\n\n");
  return isError ? toolErrorPrefix + text : text;
}

function textOf(block: PresentedBlock): string {
  return block.type === "text" ? block.text : `[${block.type}: ${block.mimeType}, ${bytesInWords(block.bytes)}]`;
}
