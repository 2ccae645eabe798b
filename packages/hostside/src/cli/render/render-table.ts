import type { Style, Terminal } from "../terminal.ts";
import { terminalLine } from "./render-text.ts";
import { cutToWidth, padToWidth, widthOf } from "./text-width.ts";

/** A text in a table, cleaned and made one line by {@linkcode renderTable}. */
export interface Cell {
  readonly text: string;
  readonly style?: Style | undefined;
}

/** Options of a column. */
export interface TableColumn {
  readonly align?: "left" | "right" | undefined;
  /**
   * The fewest columns of the terminal that it may be cut to. Default: it is never cut.
   */
  readonly least?: number | undefined;
  /**
   * Leaves it out, the last such one first, before anything is cut to less than its least.
   * Default `false`.
   */
  readonly optional?: boolean | undefined;
}

/** Options of a table. */
export interface TableOptions extends Pick<Terminal, "columns" | "paint"> {
  readonly layout: readonly TableColumn[];
  /** The beginning of each line. Default nothing. */
  readonly indent?: string | undefined;
}

const gap = "  ";

/**
 * A table as lines, none wider than the terminal. Colours come after everything is measured, so
 * that they do not count.
 */
export function renderTable(rows: readonly (readonly (Cell | string)[])[], options: TableOptions): readonly string[] {
  const { layout, indent = "", paint } = options;
  const cells = rows.map((row) =>
    row.map((given): Cell => {
      const { text, style } = typeof given === "string" ? { text: given, style: undefined } : given;
      return { text: terminalLine(text), style };
    }),
  );
  const natural = layout.map((_, index) => Math.max(0, ...cells.map((row) => widthOf(row[index]?.text ?? ""))));
  const columns = fitColumns(natural, layout, options.columns - widthOf(indent));
  return cells.map((row) => {
    const shown = columns.map(({ index, width }) => {
      const { text = "", style } = row[index] ?? {};
      const cut = cutToWidth(text, width);
      const padded = padToWidth(cut, width, layout[index]?.align);
      return style === undefined || cut === "" ? padded : padded.replace(cut, () => paint(style, cut));
    });
    // What fills the last column up to its width is of no use to anybody.
    return (indent + shown.join(gap)).trimEnd();
  });
}

interface FittedColumn {
  readonly index: number;
  readonly width: number;
}

/** Which columns are shown, and how wide, so that they fit in `room`; empty ones are not. */
function fitColumns(natural: readonly number[], layout: readonly TableColumn[], room: number): readonly FittedColumn[] {
  let shown = natural.flatMap((width, index) => (width === 0 ? [] : [{ index, width }]));
  const leastOf = ({ index, width }: FittedColumn): number => Math.min(width, layout[index]?.least ?? width);
  const total = (columns: readonly FittedColumn[], measure: (column: FittedColumn) => number): number =>
    columns.reduce((sum, column) => sum + measure(column), gap.length * Math.max(0, columns.length - 1));
  while (total(shown, leastOf) > room) {
    const last = shown.findLast(({ index }) => layout[index]?.optional === true);
    if (last === undefined) break;
    shown = shown.filter((column) => column !== last);
  }
  const widths = shown.map((column) => ({ ...column, least: leastOf(column) }));
  let over = total(shown, ({ width }) => width) - room;
  for (; over > 0; over -= 1) {
    // The widest gives way; where none may any more, the last one does.
    const [widest] = widths.filter(({ width, least }) => width > least).toSorted((a, b) => b.width - a.width);
    const column = widest ?? widths.findLast(({ width }) => width > 1);
    if (column === undefined) break;
    column.width -= 1;
  }
  return widths;
}
