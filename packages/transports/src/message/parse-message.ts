import { findLostNumber, isJsonObject, rememberDigits } from "@hostside/core/implement";

/**
 * Parses the text of a message. Remembers of structured content whether its numbers keep their
 * digits. Throws a `SyntaxError` for a text that is not valid JSON.
 */
export function parseMessage(text: string): unknown {
  const message: unknown = JSON.parse(text);
  const result = isJsonObject(message) ? message["result"] : undefined;
  const structured = isJsonObject(result) ? result["structuredContent"] : undefined;
  if (typeof structured === "object" && structured !== null) {
    rememberDigits(structured, findLostNumber(text, ["result", "structuredContent"]));
  }
  return message;
}
