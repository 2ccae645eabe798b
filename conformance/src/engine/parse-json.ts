import type { JsonObject } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";

/** The value of a text, `undefined` if it is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON: that is what the caller wants to know.
    return undefined;
  }
}

/** The object that a text is, if it is one. */
export function parseObject(text: string): JsonObject | undefined {
  const value = parseJson(text);
  return isJsonObject(value) ? value : undefined;
}
