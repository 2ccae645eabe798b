import { cleanText, truncateText } from "@hostside/core";
import { plainBrackets } from "./delimiters.ts";

/** A member of a value that may be anything; `undefined` where it cannot be read. */
export function member(owner: unknown, name: string): unknown {
  try {
    if (typeof owner !== "object" || owner === null) return undefined;
    const found = (owner as Record<string, unknown>)[name];
    // Throws for a proxy that was revoked, as everything does that is done with one.
    Array.isArray(found);
    return found;
  } catch {
    // What throws when it is looked at is not there.
    return undefined;
  }
}

/** Throws a `TypeError` for a promise of an outcome, in which nothing would be seen. */
export function assertSettled(owner: string, outcome: unknown): void {
  if (typeof member(outcome, "then") !== "function") return;
  throw new TypeError(`${owner} takes an outcome, not a promise of one: await the outcome first`);
}

/**
 * A short text of a server's as one line that fits among words of ours: cleaned, without breaks and
 * delimiters, at most `max` units.
 */
export function oneLine(text: string, max: number): string {
  return truncateText(plainBrackets(cleanText(text, max).replaceAll(/[\n\t]+/g, " ")), max);
}

/** The same in quotation marks. */
export function quoted(text: string, max: number = 80): string {
  return JSON.stringify(oneLine(text, max));
}

/** Counts the code points of a part of a text. A lone surrogate counts as one. */
export function codePointsIn(text: string, from: number, to: number): number {
  // Most texts have no pairs, and an engine finds that out without a look at each unit.
  if (from === 0 && to === text.length && !/[\uD800-\uDFFF]/.test(text)) return text.length;
  let count = 0;
  for (let at = from; at < to; at = nextCharacter(text, at)) count += 1;
  return count;
}

/** Finds the place after so many code points from another; the end where there are fewer. */
export function unitAfter(text: string, from: number, points: number): number {
  let at = from;
  for (let left = points; left > 0 && at < text.length; left -= 1) at = nextCharacter(text, at);
  return at;
}

function nextCharacter(text: string, at: number): number {
  return at + ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);
}
