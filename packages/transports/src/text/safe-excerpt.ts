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

// More than any message quotes, so that white space does not use up the room.
const longestSource = 4096;

/** A {@linkcode safeExcerpt} in one line, of at most `maxLength` UTF-16 units; default 300. */
export function bodyExcerptOf(body: string, redact: Redactor, maxLength = 300): string {
  return truncateText(safeExcerpt(body, redact, longestSource).replaceAll(/\s+/g, " "), maxLength);
}

/**
 * A value from a server as a few words for a message: without secrets, cleaned and cut. Never
 * throws, however deep it is nested.
 */
export function quoteJson(value: unknown, redact: (text: string) => string): string {
  return safeExcerpt(toJson(value) ?? "nothing", redact, 60);
}

/**
 * JSON of a value from a server, or `undefined` when there is none: because it has none, or is
 * nested too deep for the stack.
 */
export function toJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/** Reads JSON; `undefined` for what is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * The output of a process, bounded and without secrets already, as far as it may explain a failure.
 */
interface Evidence {
  /** The end of its stderr; absent or `""` when there is nothing to say of it. */
  readonly stderrTail?: string | undefined;
  /** The first line on its stdout that was no message. */
  readonly strayLine?: string | undefined;
}

/** The end of an error's message that quotes it; `""` when there is none. */
export function quoteEvidence({ stderrTail, strayLine }: Evidence): string {
  const line =
    strayLine === undefined ? "" : `; its stdout had a line that is no message: ${JSON.stringify(strayLine)}`;
  return stderrTail ? `${line}; its stderr:\n${stderrTail}` : line;
}
