import { codePointsIn, unitAfter } from "../present/code-points.ts";

/** A place where a query was found. */
export interface TextMatch {
  /** The character at which it begins, counted in code points from the beginning of the text. */
  readonly offset: number;
  /** The line it is in, from 1. */
  readonly line: number;
  /** Of that line, what is around it. */
  readonly text: string;
}

/** Where to look, and for how many. */
export interface FindPlan {
  readonly query: string;
  /** The first character, in code points. */
  readonly from: number;
  readonly maxMatches: number;
}

// Of UTF-16 units on either side of a match.
const around = 80;

/** Finds a plain text, whatever its case. `more`: there are others. Linear in the text. */
export function findText(
  text: string,
  { query, from, maxMatches }: FindPlan,
): { readonly matches: readonly TextMatch[]; readonly more: boolean } {
  const [folded, wanted] = [foldUnits(text), foldUnits(query)];
  const matches: TextMatch[] = [];
  let counted = unitAfter(text, 0, from);
  let offset = from;
  let line = 1 + lineBreaksIn(text, 0, counted);
  for (let at = folded.indexOf(wanted, counted); at !== -1; at = folded.indexOf(wanted, at + wanted.length)) {
    if (matches.length === maxMatches) return { matches, more: true };
    offset += codePointsIn(text, counted, at);
    line += lineBreaksIn(text, counted, at);
    counted = at;
    matches.push({ offset, line, text: lineAround(text, at, at + wanted.length) });
  }
  return { matches, more: false };
}

/** A match in one line, for a model. */
export function describeMatch({ offset, line, text }: TextMatch): string {
  return `character ${offset}, line ${line}: ${text}`;
}

/**
 * The text in lower case, unit for unit: as long as it was, so that places in it are places in the
 * text. U+0130 becomes `i`, because it alone has a longer small letter; all kinds of small sigma
 * are one, because which it is depends on its neighbours.
 */
function foldUnits(text: string): string {
  return text.replaceAll("\u0130", "i").toLowerCase().replaceAll("\u03C2", "\u03C3");
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

function lineBreaksIn(text: string, from: number, to: number): number {
  let count = 0;
  // By unit, and not by indexOf(), which looks beyond `to`.
  for (let at = from; at < to; at += 1) if (text.charCodeAt(at) === 10) count += 1;
  return count;
}
