// What a terminal shows, as a picture: a window with text that can be selected and searched, in the colours of the terminal, readable on a
// light page and on a dark one. The libraries that do this take recordings of other programs, and none of them is kept by more than one person.

const ansi = [
  ["#484f58", "#ff7b72", "#3fb950", "#d29922", "#58a6ff", "#bc8cff", "#39c5cf", "#b1bac4"],
  ["#6e7681", "#ffa198", "#56d364", "#e3b341", "#79c0ff", "#d2a8ff", "#56d4dd", "#f0f6fc"],
].flat();
const look = { background: "#0d1117", frame: "#30363d", text: "#e6edf3", size: 14, cellWidth: 8.43, lineHeight: 20 };
const edge = { top: 46, side: 18, bottom: 16 };

/** @typedef {{ text: string, column: number, width: number, color: string, isBold: boolean, isDim: boolean }} Run Cells that look alike. */

/**
 * The rows of a terminal's buffer that have something on them, as runs of cells.
 * @param {import("@xterm/headless").Terminal} terminal
 * @returns {Run[][]}
 */
export function readRows({ buffer: { active }, cols }) {
  const rows = Array.from({ length: active.length }, (_, row) => readRow(active.getLine(row), cols));
  return rows.slice(0, rows.findLastIndex((row) => row.length > 0) + 1);
}

/**
 * @param {import("@xterm/headless").IBufferLine | undefined} line
 * @param {number} columns
 */
function readRow(line, columns) {
  /** @type {Run[]} */
  const runs = [];
  for (let column = 0; column < columns; column++) {
    const cell = line?.getCell(column);
    const width = cell?.getWidth() ?? 0;
    if (cell === undefined || width === 0) continue;
    const next = {
      text: cell.getChars() || " ",
      column,
      width,
      color: colorOf(cell),
      isBold: cell.isBold() !== 0,
      isDim: cell.isDim() !== 0,
    };
    const last = runs.at(-1);
    const isSame =
      last !== undefined && last.color === next.color && last.isBold === next.isBold && last.isDim === next.isDim;
    if (isSame && last.column + last.width === column) {
      last.text += next.text;
      last.width += width;
    } else runs.push(next);
  }
  return runs.map(withoutEnd).filter(({ text }) => text.trim() !== "");
}

/**
 * @param {Run} run
 * @returns {Run}
 */
function withoutEnd(run) {
  const text = run.text.trimEnd();
  return { ...run, text, width: run.width - (run.text.length - text.length) };
}

/** @param {import("@xterm/headless").IBufferCell} cell */
function colorOf(cell) {
  const color = cell.getFgColor();
  if (cell.isFgRGB()) return `#${color.toString(16).padStart(6, "0")}`;
  return (cell.isFgPalette() ? ansi[color] : undefined) ?? look.text;
}

/**
 * The first rows, and how many there are beyond them.
 * @param {readonly Run[][]} rows
 * @param {number} most
 * @returns {readonly Run[][]}
 */
export function cutRows(rows, most) {
  if (rows.length <= most) return rows;
  const text = `… ${rows.length - most + 1} lines more`;
  const last = { text, column: 0, width: text.length, color: look.text, isBold: false, isDim: true };
  return [...rows.slice(0, most - 1), [last]];
}

/**
 * Draws a window with these rows.
 * @param {readonly Run[][]} rows
 * @param {{ title: string, columns: number }} window `title` is read out to those who cannot see it.
 */
export function drawWindow(rows, { title, columns }) {
  const width = Math.ceil(columns * look.cellWidth + 2 * edge.side);
  const height = edge.top + rows.length * look.lineHeight + edge.bottom;
  const lines = rows.flatMap((runs, row) => runs.map((run) => drawRun(run, edge.top + (row + 0.7) * look.lineHeight)));
  const dots = ["#ff5f57", "#febc2e", "#28c840"].map(
    (fill, index) => `<circle cx="${20 + index * 20}" cy="20" r="6" fill="${fill}"/>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeXml(title)}">`,
    `<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8" fill="${look.background}" stroke="${look.frame}"/>`,
    ...dots,
    `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="${look.size}">`,
    ...lines,
    "</g>",
    "</svg>",
    "",
  ].join("\n");
}

/**
 * @param {Run} run
 * @param {number} y
 */
function drawRun({ text, column, width, color, isBold, isDim }, y) {
  const x = round(edge.side + column * look.cellWidth);
  const style = `${isBold ? ' font-weight="bold"' : ""}${isDim ? ' opacity="0.65"' : ""}`;
  // Its width is that of its cells, whatever font there is; and every space counts.
  return `<text x="${x}" y="${round(y)}" fill="${color}" textLength="${round(width * look.cellWidth)}" lengthAdjust="spacingAndGlyphs"${style}>${escapeXml(text.replaceAll(" ", "\u00A0"))}</text>`;
}

/** @param {number} value */
function round(value) {
  return Math.round(value * 100) / 100;
}

/** @param {string} text */
function escapeXml(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
