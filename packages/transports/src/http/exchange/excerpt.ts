import { truncateText } from "@hostside/core";
import type { Redactor } from "@hostside/core/implement";
import { safeExcerpt } from "../../text/safe-excerpt.ts";

// More than any message quotes, so that white space does not use up the room.
const longestSource = 4096;

/** A {@linkcode safeExcerpt} in one line, of at most `maxLength` UTF-16 units; default 300. */
export function bodyExcerptOf(body: string, redact: Redactor, maxLength = 300): string {
  return truncateText(safeExcerpt(body, redact, longestSource).replaceAll(/\s+/g, " "), maxLength);
}
