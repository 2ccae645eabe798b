import { cleanText, truncateText } from "@hostside/core";
import type { Redactor } from "@hostside/core/implement";

// Enough to fill an excerpt, and a bound on the work when a server writes a line of megabytes.
const leastSource = 16 * 1024;

/**
 * A piece of what a server wrote, fit for messages and logs: at most `maxLength` UTF-16 units,
 * without control characters and secrets. It is cleaned first and cut last: an escape sequence
 * inside a secret would hide it from the redactor, and a cut would leave half of one.
 */
export function safeExcerpt(text: string, redact: Redactor, maxLength: number): string {
  const longestSource = Math.max(leastSource, 2 * maxLength);
  const safe = redact(cleanText(text.slice(0, longestSource)));
  const endIsVisible = text.length > longestSource && safe.length <= maxLength;
  return truncateText((endIsVisible ? withoutBrokenEnd(safe) : safe).trim(), maxLength);
}

/** `text` up to its last white space, because what follows may be the start of a secret. */
export function withoutBrokenEnd(text: string): string {
  return text.slice(0, Math.max(0, text.search(/\s\S*$/)));
}
