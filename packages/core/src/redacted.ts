/** Stands in for a secret in any text. */
export const redacted = "[redacted]";

/** Replaces every secret it knows in a text. */
export type Redactor = (text: string) => string;
