import type { Presented } from "@hostside/results";

/**
 * A presentation as it is, or with a notice where it has no blocks: no API takes an answer in which
 * there is nothing.
 */
export function ensureBlocks(presented: Presented): Presented {
  if (presented.blocks.length > 0) return presented;
  const { isError } = presented;
  const text = isError ? "[the call failed, and nothing is shown of why]" : "[nothing of the result is shown]";
  return { ...presented, blocks: [{ type: "text", part: isError ? "error" : "notice", text }] };
}
