import { cleanText } from "@hostside/core";

/**
 * A text of a server's as one line for a terminal: cleaned, every run of blanks and line feeds one
 * blank, at most `maxLength` UTF-16 units.
 */
export function terminalLine(text: string, maxLength: number = 1000): string {
  // Of a text of megabytes no more is looked at than can be shown.
  const line = cleanText(text, maxLength * 4)
    .replaceAll(/\s+/g, " ")
    .trim();
  return cleanText(line, maxLength);
}

/** The first sentence of a text of a server's, as {@linkcode terminalLine}. */
export function firstSentenceLine(text: string, maxLength: number = 1000): string {
  const [paragraph = ""] = cleanText(text, maxLength * 4)
    .trim()
    .split(/\n\s*\n/);
  const line = terminalLine(paragraph, maxLength);
  // A full stop ends a sentence where a capital follows and where more than a short form stands
  // before it: "e.g. This" has no end in it.
  const end = line.search(/(?<=[^\s.][^\s.][^\s.)]?[)"'`]?)[.!?。](?=\s+[\p{Lu}\p{Lo}(`"'#*]|$)|。/u);
  return end === -1 ? line : line.slice(0, end + 1);
}

/**
 * A text of a server's as lines for a terminal: cleaned, tabs as blanks, without blank lines at its
 * ends.
 */
export function cleanLines(text: string, maxLength: number = 20_000): readonly string[] {
  return cleanText(text, maxLength)
    .replaceAll("\t", "  ")
    .replaceAll(/^(?:[^\S\n]*\n)+|\s+$/g, "")
    .split("\n")
    .map((line) => line.trimEnd());
}
