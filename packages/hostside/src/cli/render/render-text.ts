import { cleanText } from "@hostside/core";
import stringWidth from "string-width";
import type { FileOptions, TypedServer } from "../command-context.ts";

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

// ASCII that shows: as wide as it is long, without a look at each character.
const plain = /^[ -~]*$/;
const characters = new Intl.Segmenter("en", { granularity: "grapheme" });

/**
 * Measures the columns of a terminal that a text without line feeds takes. Escape sequences take
 * none.
 */
export function widthOf(text: string): number {
  return plain.test(text) ? text.length : stringWidth(text);
}

/**
 * A text without escape sequences, cut to `width` columns, `…` included; never within a character.
 * One that fits is returned as it is.
 */
export function cutToWidth(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  return width < 1 ? "" : `${headOfWidth(text, width - 1).trimEnd()}…`;
}

/** As many whole characters of a text as fit in `width` columns. */
function headOfWidth(text: string, width: number): string {
  if (plain.test(text)) return text.slice(0, Math.max(0, width));
  let head = "";
  let taken = 0;
  for (const { segment } of characters.segment(text)) {
    taken += stringWidth(segment);
    if (taken > width) return head;
    head += segment;
  }
  return head;
}

/** A text filled up with blanks to `width` columns; a wider one is returned as it is. */
export function padToWidth(text: string, width: number, align: "left" | "right" = "left"): string {
  const blanks = " ".repeat(Math.max(0, width - widthOf(text)));
  return align === "left" ? text + blanks : blanks + text;
}

/** Options of {@linkcode wrapText}. */
export interface WrapOptions {
  /** Columns of a line, its indent included. */
  readonly width: number;
  /** The beginning of each line. Default nothing. */
  readonly indent?: string | undefined;
  /** The beginning of each line but the first. Default: the indent. */
  readonly hanging?: string | undefined;
}

/**
 * A cleaned text as lines of at most `width` columns, broken between words, and within one that is
 * wider than a line. Its own line feeds stay.
 */
export function wrapText(text: string, { width, indent = "", hanging = indent }: WrapOptions): readonly string[] {
  const lines: string[] = [];
  for (const paragraph of text.split("\n")) {
    const startOf = (): string => (lines.length === 0 ? indent : hanging);
    const roomOf = (): number => Math.max(8, width - widthOf(startOf()));
    const lead = /^ */.exec(paragraph)?.[0].slice(0, Math.floor(width / 2)) ?? "";
    let line = lead;
    for (const word of paragraph.split(" ").filter((part) => part !== "")) {
      let rest = word;
      if (line.trim() !== "" && widthOf(line) + 1 + widthOf(rest) > roomOf()) {
        lines.push(startOf() + line);
        line = lead;
      }
      while (widthOf(line) + widthOf(rest) > roomOf()) {
        const head = headOfWidth(rest, roomOf() - widthOf(line)) || (rest.match(/./su)?.[0] ?? "");
        lines.push(startOf() + line + head);
        rest = rest.slice(head.length);
        line = lead;
      }
      if (rest !== "") line += line.trim() === "" ? rest : ` ${rest}`;
    }
    lines.push(line.trim() === "" ? "" : startOf() + line);
  }
  return lines;
}

/**
 * Arguments as they are typed in a shell, one that nobody has to quote as it is. People
 * copy it; this program never runs it.
 */
export function shellLine(words: readonly string[]): string {
  return words.map(shellWord).join(" ");
}

function shellWord(word: string): string {
  const shown = terminalLine(word, 500);
  // A shell makes another word of one that begins with "~" or "=", but "~/" is what people write
  // for their home.
  return /^(?:~\/|[\w@%+:,./-])[\w@%+=:,./~-]*$/.test(shown) ? shown : `'${shown.replaceAll("'", String.raw`'\''`)}'`;
}

/** The words for a server in a command line of hostside: its id, or what was typed in its place. */
export function serverWords(serverId: string, typed: TypedServer | undefined): readonly string[] {
  if (typed?.id !== serverId) return [serverId];
  return typed.words.length === 1 && /^https?:/i.test(typed.words[0] ?? "") ? typed.words : ["--", ...typed.words];
}

/** The options that have another command line use the same files. */
export function fileWords(
  { config = [], dialect }: FileOptions,
  toPath: (file: string) => string = (file) => file,
): readonly string[] {
  const files = config.flatMap((file) => ["--config", toPath(file)]);
  return dialect === undefined ? files : [...files, "--dialect", dialect];
}
