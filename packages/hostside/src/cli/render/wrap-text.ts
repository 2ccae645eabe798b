import { headOfWidth, widthOf } from "./text-width.ts";

/** How a text is wrapped. */
export interface WrapOptions {
  /** Columns of a line, its indent included. */
  readonly width: number;
  /** What each line begins with. Default nothing. */
  readonly indent?: string | undefined;
  /** What each line but the first begins with. Default: the indent. */
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
