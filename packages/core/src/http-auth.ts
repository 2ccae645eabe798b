/** Whose credentials a server is asked with, beside those of its spec. */
export const httpAuths = ["oauth", "api-key"] as const;

/** One of {@linkcode httpAuths}. */
export type HttpAuth = (typeof httpAuths)[number];
