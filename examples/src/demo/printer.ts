import { cleanText } from "@hostside/core";
import { styleText } from "node:util";
import type { WriteStream } from "node:tty";

type Style = Parameters<typeof styleText>[0];

/**
 * Writes the demo's lines: coloured on a terminal, plain in a file, a pipe, or where `NO_COLOR` is
 * set.
 */
export interface Printer {
  heading(text: string): void;
  /** A line, in columns that are padded to `widths`. The last column takes what it needs. */
  row(columns: readonly string[], widths: readonly number[], style?: Style): void;
  line(text: string, style?: Style): void;
}

/**
 * Makes a {@linkcode Printer}. Texts of servers pass through it, so it cleans and bounds every
 * line.
 */
export function createPrinter(stream: WriteStream, env: NodeJS.ProcessEnv): Printer {
  // A reader that has gone, such as `head`, must not keep us from cleaning up.
  stream.on("error", () => {});
  const colours = stream.isTTY && (env["NO_COLOR"] ?? "") === "";
  const paint = (text: string, style: Style | undefined): string =>
    colours && style !== undefined ? styleText(style, text) : text;
  const line = (text: string, style?: Style): void => {
    stream.write(`${paint(`  ${cleanText(text, 160)}`, style)}\n`);
  };
  return {
    heading: (text) => void stream.write(`\n${paint(text, "bold")}\n`),
    row: (columns, widths, style) => {
      line(columns.map((text, index) => text.padEnd(widths[index] ?? 0)).join("  "), style);
    },
    line,
  };
}
