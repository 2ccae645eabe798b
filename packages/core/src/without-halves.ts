// Of the escapes in JSON: a backslash, a surrogate pair, and half of one.
const escapes = /\\\\|\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}|\\ud[89a-f][0-9a-f]{2}/gi;

/**
 * JSON text with U+FFFD for each half of a character (a lone surrogate) that it has as an escape,
 * as `JSON.stringify` writes them, in names of members too.
 */
export function withoutHalves(json: string): string {
  return /\\ud/i.test(json) ? json.replaceAll(escapes, (found) => (found.length === 6 ? "\uFFFD" : found)) : json;
}
