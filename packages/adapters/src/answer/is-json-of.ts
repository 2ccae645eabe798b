import type { JsonValue } from "@hostside/core";
import { sameJson } from "@hostside/core/implement";
import type { PresentedBlock } from "@hostside/results";

/**
 * Whether a block is the bare JSON of the structured content. It is not where a presenter wrote
 * around it, such as marks that say who speaks: then its text is what the model gets, and never the
 * value without them.
 */
export function isJsonOf(block: PresentedBlock, structured: JsonValue | undefined): boolean {
  if (block.type !== "text" || block.part !== "structured" || structured === undefined) return false;
  try {
    return sameJson(JSON.parse(block.text), structured);
  } catch {
    return false;
  }
}
