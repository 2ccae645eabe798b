/** A place where a query was found. */
export interface TextMatch {
  /** The character at which it begins, counted in code points from the beginning of the text. */
  readonly offset: number;
  /** The line it is in, from 1. */
  readonly line: number;
  /** Of that line, what is around it. */
  readonly text: string;
}

/** What to look for, and where to stop. */
export interface FindPlan {
  readonly query: string;
  /** Matches that begin before this character do not count. */
  readonly from: number;
  readonly maxMatches: number;
}

/** What was found. */
export interface FoundText {
  readonly matches: readonly TextMatch[];
  /** Whether there is another match after those. */
  readonly more: boolean;
}

/** Looks for one query through a text that comes in parts. */
export interface TextFinder {
  /** Takes the next part, which ends with a whole character. Returns whether enough was found. */
  read(part: string): boolean;
  /** What was found up to here; there is no more text. */
  finish(): FoundText;
}

// Of UTF-16 units on either side of a match.
const around = 80;

/**
 * The text in lower case, unit for unit: as long as it was, so that places in it are places in the
 * text. U+0130 becomes `i`, because it alone has a longer small letter; all kinds of small sigma
 * are one, because which it is depends on its neighbours.
 */
export function foldUnits(text: string): string {
  return text.replaceAll("\u0130", "i").toLowerCase().replaceAll("\u03C2", "\u03C3");
}

/**
 * Makes a finder of plain text, whatever its case. Takes time linear in the text, and no more
 * memory than a part of it.
 */
export function createTextFinder({ query, from, maxMatches }: FindPlan): TextFinder {
  const wanted = foldUnits(query);
  // What of the text may still be part of a match, or stand around one; `base` and `line` are those
  // of its first character.
  let held = "";
  let base = 0;
  let line = 1;
  // In `held`: where to look next.
  let next = 0;
  const matches: TextMatch[] = [];
  let more = false;

  const search = (isEnd: boolean): void => {
    const folded = foldUnits(held);
    let counted = 0;
    let offset = base;
    let atLine = line;
    for (;;) {
      const at = folded.indexOf(wanted, next);
      // Only what stands around it is read later than it is.
      const isWhole = isEnd || at + wanted.length + around <= held.length;
      if (at === -1 || !isWhole) return;
      next = at + wanted.length;
      offset += codePointsIn(held, counted, at);
      atLine += linesIn(held, counted, at);
      counted = at;
      if (offset < from) continue;
      more = matches.length === maxMatches;
      if (more) return;
      matches.push({ offset, line: atLine, text: lineAround(held, at, at + wanted.length) });
    }
  };
  const letGo = (): void => {
    // A match that begins later, or that is here and not whole, has all that stands before it.
    const unread = Math.max(next, held.length - wanted.length - around);
    const keepFrom = wholeUnit(held, Math.max(0, unread - around - 2));
    base += codePointsIn(held, 0, keepFrom);
    line += linesIn(held, 0, keepFrom);
    held = held.slice(keepFrom);
    next = Math.max(0, next - keepFrom);
  };
  return {
    read(part) {
      held += part;
      search(false);
      letGo();
      return more;
    },
    finish() {
      if (!more) search(true);
      return { matches, more };
    },
  };
}

/** Of the line of a match, what is around it, with `…` where the line goes on. */
function lineAround(text: string, start: number, end: number): string {
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  const lineBreak = text.indexOf("\n", end);
  const lineEnd = lineBreak === -1 ? text.length : lineBreak;
  const first = wholeUnit(text, Math.max(start === 0 ? 0 : lineStart, start - around));
  const last = wholeUnit(text, Math.min(lineEnd, end + around));
  return `${first > lineStart ? "…" : ""}${text.slice(first, last)}${last < lineEnd ? "…" : ""}`;
}

/** The place, or the one before it when it is inside of a surrogate pair. */
function wholeUnit(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  const isInside = unit >= 0xdc00 && unit <= 0xdfff && at > 0;
  return isInside ? at - 1 : at;
}

function codePointsIn(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < 0xdc00 || unit > 0xdfff) count += 1;
  }
  return count;
}

function linesIn(text: string, from: number, to: number): number {
  let lines = 0;
  // Not by indexOf(), which looks beyond `to`: there may be a match at each character, and no line
  // break at all.
  for (let at = from; at < to; at += 1) if (text.charCodeAt(at) === 10) lines += 1;
  return lines;
}
