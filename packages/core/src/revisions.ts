/**
 * The protocol revision without a handshake. Revisions are ISO dates, so that string order is time
 * order.
 */
export const modernRevision = "2026-07-28";

/** The newest revision with a handshake. */
export const latestLegacyRevision = "2025-11-25";

/** The revisions with a handshake, newest first. */
export const legacyRevisions: readonly string[] = [
  latestLegacyRevision,
  "2025-06-18",
  "2025-03-26",
  "2024-11-05",
  "2024-10-07",
];
