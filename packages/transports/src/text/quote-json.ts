import { safeExcerpt } from "./safe-excerpt.ts";

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
