import { utf8Length } from "@hostside/core/implement";
import type { KeptItem } from "../keep/kept-item.ts";
import { delimitersFor } from "../present/delimiters.ts";
import type { PresentSettings } from "../present/present-options.ts";

/**
 * How much one answer of `results_read` may have, so that the presenter that shows it has nothing
 * to cut.
 */
export interface AnswerSpace {
  /** Bytes of text. */
  readonly roomFor: (item: KeptItem) => number;
  /** Whether a text costs no more tokens than there is room for. */
  readonly fits: (text: string, item: KeptItem) => boolean;
}

// Our own words before the text: places, a handle, a type and the name of the tool, in ASCII.
const headBytes = 420;

/** The room that a presenter's bounds leave. `tool`: the name of the one that reads. */
export function createAnswerSpace(settings: PresentSettings, tool: string): AnswerSpace {
  const { maxTextBytes, maxTokens, tokensOf, delimiters } = settings;
  const place = 1_000_000_000;
  const way = `${tool} ${JSON.stringify({ handle: "0a".repeat(16), offset: place })}`;
  const headTokens = tokensOf(`[characters ${place} to ${place} of ${place}; to read on: ${way}]`);
  const marksFor = ({ serverId, toolName }: KeptItem): string => {
    if (delimiters === undefined) return "";
    const { open, close } = delimitersFor({ serverId, toolName, qualifiedName: "" }, delimiters);
    return open + close;
  };
  return {
    roomFor: (item) => Math.max(16, maxTextBytes - headBytes - utf8Length(marksFor(item))),
    fits: (text, item) =>
      maxTokens === Number.POSITIVE_INFINITY ||
      tokensOf(text) <= Math.max(16, maxTokens - headTokens - tokensOf(marksFor(item))),
  };
}
