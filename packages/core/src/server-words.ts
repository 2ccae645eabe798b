import type { ServerWords } from "./admission.ts";
import { defaultLimits } from "./limits.ts";
import { cleanText } from "./untrusted-text.ts";

/** A server as it describes itself. */
export type ClaimedWords = { readonly [member in keyof ServerWords | "name"]?: unknown };

/**
 * What of a server's own description a model may read, bounded and clean. What is no text is left
 * out.
 */
export function serverWords(info: ClaimedWords): ServerWords {
  const { maxServerTextLength } = defaultLimits;
  const [title, name] = [textOf(info.title, 256), textOf(info.name, 256)];
  const words = {
    title: title === "" ? name : title,
    description: textOf(info.description, maxServerTextLength),
    instructions: textOf(info.instructions, maxServerTextLength),
  };
  return Object.freeze(Object.fromEntries(Object.entries(words).filter(([, text]) => text !== "")));
}

function textOf(value: unknown, maxLength: number): string {
  return typeof value === "string" ? cleanText(value, maxLength).trim() : "";
}
