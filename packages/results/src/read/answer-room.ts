import type { KeptItem } from "../keep/kept-item.ts";
import { fenceFor } from "../present/fence.ts";
import type { PresentSettings } from "../present/present-options.ts";
import { utf8Length } from "../present/text-size.ts";

/** How much one answer of `results_read` may have, so that the presenter that shows it has nothing to cut. */
export interface AnswerRoom {
  /** Bytes of text. */
  readonly roomFor: (item: KeptItem) => number;
  /** Whether a text costs no more tokens than there is room for. */
  readonly fits: (text: string, item: KeptItem) => boolean;
}

// Our own words before the text: places, a handle, a type and the name of the tool.
const headBytes = 420;
const headTokens = 120;

/** The room that a presenter's bounds leave. */
export function createAnswerRoom({ maxTextBytes, maxTokens, tokensOf, fence }: PresentSettings): AnswerRoom {
  const marksFor = ({ serverId, toolName }: KeptItem): string => {
    if (fence === undefined) return "";
    const { open, close } = fenceFor({ serverId, toolName, qualifiedName: "" }, fence);
    return open + close;
  };
  return {
    roomFor: (item) => Math.max(16, maxTextBytes - headBytes - utf8Length(marksFor(item))),
    fits: (text, item) =>
      maxTokens === Number.POSITIVE_INFINITY ||
      tokensOf(text) <= Math.max(16, maxTokens - headTokens - tokensOf(marksFor(item))),
  };
}
