import { cleanText } from "./untrusted-text.ts";

/**
 * A short text of a server's, such as the name of a tool, in quotation marks and fit for a message:
 * cleaned as {@linkcode cleanText} does, because JSON escapes neither U+009B nor bidirectional
 * overrides; of at most `maxLength` UTF-16 units; default 128.
 */
export function quoteText(text: string, maxLength: number = 128): string {
  return JSON.stringify(cleanText(text, maxLength));
}

/** Orders texts by their UTF-16 units: the same on every machine, unlike a locale's order. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

const capital = /[A-Z]/;

/**
 * A text with A to Z as a to z and everything else as it is: the key under which names and ids are
 * looked up regardless of their case. `toLowerCase()` also folds characters that only look like
 * ASCII: of the Kelvin sign it makes a `k`.
 */
export function foldCase(text: string): string {
  if (text === lastText) return lastFolded;
  lastText = text;
  // Most names have no capitals, and replacing nothing costs ten times as much as looking.
  lastFolded = capital.test(text) ? text.replaceAll(/[A-Z]+/g, (capitals) => capitals.toLowerCase()) : text;
  return lastFolded;
}

// A call looks its tool up by name five times.
let [lastText, lastFolded] = ["", ""];

/** A duration as texts show it: whole milliseconds, and at least one of them. */
export function formatMs(ms: number): string {
  return `${Math.max(1, Math.round(ms))} ms`;
}

// Of the escapes in JSON: a backslash, a surrogate pair, and half of one.
const escapes = /\\\\|\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}|\\ud[89a-f][0-9a-f]{2}/gi;

/**
 * JSON text with U+FFFD for each half of a character (a lone surrogate) that it has as an escape,
 * as `JSON.stringify` writes them, in names of members too.
 */
export function withoutHalves(json: string): string {
  return /\\ud/i.test(json) ? json.replaceAll(escapes, (found) => (found.length === 6 ? "\uFFFD" : found)) : json;
}

/** Counts the bytes of a text in UTF-8. A lone surrogate counts as the U+FFFD that it becomes. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) continue;
    bytes += unit < 0x8_00 ? 1 : 2;
    // The two halves of a pair take four bytes together, of which each has one already.
    if (isLead(unit) && isTrail(text.charCodeAt(index + 1))) index += 1;
  }
  return bytes;
}

/** How much of a text fits: up to which UTF-16 unit, and how many bytes that is in UTF-8. */
export interface Utf8Head {
  readonly end: number;
  readonly bytes: number;
}

/**
 * Finds the longest beginning of `text` that takes at most `maxBytes` in UTF-8 and splits no
 * surrogate pair. A lone surrogate counts as U+FFFD, three bytes. Reads no more of the text.
 */
export function headWithin(text: string, maxBytes: number): Utf8Head {
  let bytes = 0;
  let end = 0;
  while (end < text.length) {
    const point = text.codePointAt(end) ?? 0;
    const more = bytesOf(point);
    if (bytes + more > maxBytes) break;
    bytes += more;
    end += point > 0xffff ? 2 : 1;
  }
  return { end, bytes };
}

function isLead(unit: number): boolean {
  return unit >= 0xd8_00 && unit < 0xdc_00;
}

function isTrail(unit: number): boolean {
  return unit >= 0xdc_00 && unit < 0xe0_00;
}

function bytesOf(point: number): number {
  if (point < 0x80) return 1;
  if (point < 0x800) return 2;
  return point > 0xffff ? 4 : 3;
}
