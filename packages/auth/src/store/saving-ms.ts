/**
 * How long whoever changes a document may have its lock, in milliseconds: a read and a write,
 * without a request to anybody.
 */
export const savingMs = 30_000;
