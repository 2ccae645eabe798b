import stringWidth from "fast-string-width";

// ASCII that shows, and signs of tables: as wide as it is long, without a look at each character.
const plain = /^[ -~✓✗○…–—·]*$/;
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
 * A text that fits is returned as it is.
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
