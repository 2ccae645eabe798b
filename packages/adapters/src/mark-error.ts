import type { PresentedBlock } from "@hostside/results";

/**
 * What stands before the text of a tool that failed, where an API has no flag for that. The same at
 * each of them.
 */
export const errorMarker = "[tool error]";

/**
 * Blocks that say by their first text that the tool failed; a text for that alone, at the
 * beginning, where there is none.
 */
export function markError(blocks: readonly PresentedBlock[]): readonly PresentedBlock[] {
  const first = blocks.findIndex(({ type }) => type === "text");
  if (first === -1) return [{ type: "text", part: "error", text: errorMarker }, ...blocks];
  return blocks.map((block, at) =>
    at === first && block.type === "text" ? { ...block, text: `${errorMarker} ${block.text}` } : block,
  );
}
