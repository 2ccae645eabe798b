import stringWidth from "string-width";

// ASCII that shows: as wide as it is long, without a look at each character.
const plain = /^[ -~]*$/;
const characters = new Intl.Segmenter("en", { granularity: "grapheme" });

/**
 * How many columns of a terminal a text takes, where it has no line feeds. Escape sequences take
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
export function headOfWidth(text: string, width: number): string {
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
