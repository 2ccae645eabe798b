// It is quoted in errors and sent to servers: a sentence, not a document.
const longestReason = 1000;

/**
 * Refuses what cannot be the reason that something ends. Throws a `TypeError`; `undefined` is no
 * reason, and all right.
 */
export function assertReason(reason: unknown): void {
  if (reason === undefined) return;
  if (typeof reason === "string" && reason.trim() !== "" && reason.length <= longestReason) return;
  throw new TypeError(`reason must be a text of 1 to ${longestReason} characters that is not blank`);
}
