import { cleanText, truncateText, type Redactor } from "@toolport/core";

/**
 * A piece of what a server sent instead of an answer, fit for an error message: one line of at most `maxLength` UTF-16 units
 * (default 300), without control characters and secrets.
 */
export function excerptOf(body: string, redact: Redactor, maxLength = 300): string {
  // Masking comes after cleaning, because cleaning can join the parts of a secret, and before cutting, because a cut secret is not
  // recognised.
  const line = cleanText(body, 4096).replaceAll(/\s+/g, " ").trim();
  return truncateText(redact(line), maxLength);
}
