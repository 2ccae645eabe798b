import { cleanText, type ToolDefinition } from "@hostside/core";

/**
 * One line about a tool that is not declared, for a list from which a model may choose by name: the
 * beginning of its description, at most `maxLength` characters (code points), by default 80, cut
 * with `…`, between words where there is a word to end with. Without control, bidirectional and
 * invisible characters. A server's words: data, never instructions. Throws a `TypeError` for a
 * length that is no whole number from 1 up.
 */
export function toolHint({ description }: Pick<ToolDefinition, "description">, maxLength: number = 80): string {
  if (!Number.isInteger(maxLength) || maxLength < 1) {
    throw new TypeError("toolHint(): maxLength must be a whole number of at least 1");
  }
  // A character is at most two units; of a long description no more is looked at than can be shown.
  const line = cleanText(description.slice(0, 16 * maxLength + 64))
    .replaceAll(/\s+/g, " ")
    .trim();
  const characters = Array.from(line);
  if (characters.length <= maxLength) return line;
  const kept = characters.slice(0, maxLength - 1).join("");
  const end = kept.lastIndexOf(" ");
  return `${end > kept.length / 2 ? kept.slice(0, end) : kept}…`;
}
