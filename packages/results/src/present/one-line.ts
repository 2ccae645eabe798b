import { cleanText, truncateText } from "@hostside/core";
import { plainBrackets } from "./delimiters.ts";

/**
 * A short text of a server's as one line that fits among words of ours: cleaned, without breaks and
 * delimiters, at most `max` units.
 */
export function oneLine(text: string, max: number): string {
  return truncateText(plainBrackets(cleanText(text, max).replaceAll(/[\n\t]+/g, " ")), max);
}

/** The same in quotation marks. */
export function quoted(text: string, max: number = 80): string {
  return JSON.stringify(oneLine(text, max));
}
