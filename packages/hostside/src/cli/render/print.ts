import type { Terminal } from "../terminal.ts";
import { jsonText } from "./render-json.ts";

/** Writes lines to stdout. */
export function printLines({ out }: Pick<Terminal, "out">, lines: readonly string[]): void {
  if (lines.length > 0) out(`${lines.join("\n")}\n`);
}

/** Writes the one document of `--json` to stdout. */
export function printJson({ out }: Pick<Terminal, "out">, value: unknown): void {
  out(`${jsonText(value)}\n`);
}
