import { split } from "shlex";

/** A line that somebody is still typing, as a shell would divide it. */
export interface TypedLine {
  /** The words before the one at the cursor, without their quotes. */
  readonly words: readonly string[];
  /** The word at the cursor, without its quotes: `""` after a blank. */
  readonly current: string;
  /** Where that begins in the line. */
  readonly start: number;
  /** The quote in which the cursor stands. */
  readonly quote: "" | "'" | '"';
}

// Stands for the cursor, so that a blank in front of it makes a word: no line of a terminal holds
// it.
const cursor = "\u0000";
const quotes = ["", "'", '"'] as const;

/** Divides a line up to the cursor. Never throws. */
export function splitLine(line: string): TypedLine {
  for (let start = 0; start <= line.length; start += 1) {
    if (start > 0 && !/\s/.test(line.charAt(start - 1))) continue;
    const words = trySplit(line.slice(0, start));
    if (words === undefined) continue;
    for (const quote of quotes) {
      const rest = trySplit(line.slice(start) + cursor + quote);
      if (rest?.length === 1) return { words, current: (rest[0] ?? "").replace(cursor, ""), start, quote };
    }
  }
  return { words: [], current: line, start: 0, quote: "" };
}

function trySplit(line: string): readonly string[] | undefined {
  try {
    return split(line);
  } catch {
    // A quote is open, or the line ends in a backslash.
    return undefined;
  }
}

/** A word as it is to be typed where the cursor stands: after an open quote without that one. */
export function quoteFor(word: string, quote: TypedLine["quote"]): string {
  if (quote === "'") return word.replaceAll("'", String.raw`'\''`);
  if (quote === '"') return word.replaceAll(/[\\"$`]/g, String.raw`\$&`);
  return word.replaceAll(/[^\w%+,./:=@-]/gu, String.raw`\$&`);
}
