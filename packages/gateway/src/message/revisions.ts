/** The revision without a handshake. */
export const modernRevision = "2026-07-28";

/** Those with one, newest first. */
export const servedLegacyRevisions: readonly string[] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/** The newest revision with a handshake: for clients that ask for one that nobody knows. */
export const latestLegacyRevision = "2025-11-25";

/**
 * The one revision that has batches.
 * https://modelcontextprotocol.io/specification/2025-03-26/basic#batching
 */
export const batchRevision = "2025-03-26";

/**
 * True for a text that names a revision of the stateless era. Revisions are ISO dates, so their
 * order is that of texts.
 */
export function isModernRevision(revision: string): boolean {
  return revision >= modernRevision;
}
