import stringWidth from "fast-string-width";
import { wrapAnsi } from "fast-wrap-ansi";

const characters = new Intl.Segmenter("en", { granularity: "grapheme" });

/**
 * Measures the columns of a terminal that a text without line feeds takes. Escape sequences take
 * none.
 */
export function widthOf(text: string): number {
  return stringWidth(text);
}

/**
 * A text without escape sequences, cut to `width` columns, `…` included; never within a character.
 * A text that fits is returned as it is.
 */
export function cutToWidth(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let head = "";
  let left = width - 1;
  for (const { segment } of characters.segment(text)) {
    left -= widthOf(segment);
    if (left < 0) break;
    head += segment;
  }
  return width < 1 ? "" : `${head.trimEnd()}…`;
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
 * wider than a line. Its own line feeds stay, and blanks at the start of its lines.
 */
export function wrapText(text: string, { width, indent = "", hanging = indent }: WrapOptions): readonly string[] {
  const room = width - Math.max(widthOf(indent), widthOf(hanging));
  const lines = text.split("\n").flatMap((paragraph) => {
    const lead = /^ */.exec(paragraph)?.[0].slice(0, Math.floor(width / 2)) ?? "";
    const wrapped = wrapAnsi(paragraph, Math.max(8, room - lead.length), { hard: true });
    return wrapped.split("\n").map((line) => (line === "" ? "" : lead + line));
  });
  return lines.map((line, index) => (line === "" ? "" : (index === 0 ? indent : hanging) + line));
}
