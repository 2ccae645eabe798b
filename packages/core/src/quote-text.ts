import { cleanText } from "./untrusted-text.ts";

/**
 * A short text of a server's, such as the name of a tool, in quotation marks and fit for a message:
 * cleaned as {@linkcode cleanText} does, because JSON escapes neither U+009B nor bidirectional
 * overrides; of at most `maxLength` UTF-16 units; default 128.
 */
export function quoteText(text: string, maxLength: number = 128): string {
  return JSON.stringify(cleanText(text, maxLength));
}
