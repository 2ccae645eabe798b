import { cleanText } from "@toolport/core";

/** A value from a server as text for a message: cleaned and cut. Never throws, however deep the value is nested. */
export function quoteJson(value: unknown, maxLength: number): string {
  return cleanText(toJson(value) ?? "nothing", maxLength);
}

/** JSON of a value from a server, or `undefined` when there is none: because it has none, or is nested too deep for the stack. */
export function toJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
