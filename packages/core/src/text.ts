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
    if (isHighSurrogate(unit) && isLowSurrogate(text.charCodeAt(index + 1))) index += 1;
  }
  return bytes;
}

const encoder = new TextEncoder();

/**
 * Finds the longest beginning of `text` that takes at most `maxBytes` in UTF-8 and splits no
 * surrogate pair: where it ends, in UTF-16 units, and its bytes. A lone surrogate counts as U+FFFD,
 * three bytes.
 */
export function headWithin(text: string, maxBytes: number): { readonly end: number; readonly bytes: number } {
  const room = Math.max(0, Math.min(maxBytes, 3 * text.length));
  const { read, written } = encoder.encodeInto(text, new Uint8Array(room));
  return { end: read, bytes: written };
}

/**
 * An oddity of a text that came from a server. Data for policies and displays; the text itself
 * is kept.
 */
export type TextFlag = "ansi" | "control" | "bidi" | "invisible" | "tag" | "lone-surrogate" | "truncated";

// ECMA-48 escape sequences (CSI, terminated OSC, two-character ones). Every quantifier is over a
// class that the next part excludes, so matching is linear.
const ansi =
  /\u001B(?:\[[0-?]*[ -/]*[@-~]|\](?:[^\u0007\u001B]*(?:\u0007|\u001B\\))?|[@-Z\\^_])|\u009B[0-?]*[ -/]*[@-~]/g;
// C0 and C1 without tab and line feed, which are plain text, as is a carriage return before a line
// feed; and U+2028, U+2029, which break lines where nobody expects it.
const control = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u2028\u2029]|\r(?!\n)/g;
const bidi = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;
// All that Unicode has for nothing to be shown, given to something or not: fillers, format
// characters, and the variation selectors that can hide a text; and the marks of annotations.
// Joiners (U+200C, U+200D) and U+FE0F stay: scripts and emoji need them.
const shownAsNothing = String.raw`[\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB](?<![\u200C\u200D\uFE0F])`;
const invisible = new RegExp(String.raw`${shownAsNothing}(?<!${bidi.source}|[\u{E0000}-\u{E007F}])`, "gu");
// "Tag" characters, a known way to hide text from people but not from models.
const tag = /[\u{E0000}-\u{E007F}]/gu;
const hidden = new RegExp(shownAsNothing, "gu");
const unseen = new RegExp(String.raw`${shownAsNothing}|(?![\t\n])[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]`, "gu");
// Joiners and blanks of other widths, too.
const undecided = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu;

// What most texts consist of, so that most need one look.
const plain = /^[\t\n -~]*$/;
// Nothing below the soft hyphen is hidden.
const low = /^[\0-\u00AC]*$/;

const inspections: readonly (readonly [TextFlag, RegExp])[] = [
  ["ansi", ansi],
  ["control", control],
  ["bidi", bidi],
  ["invisible", invisible],
  ["tag", tag],
];

/** Names what is odd about a text, in a fixed order; `[]` for plain text. Linear in its length. */
export function inspectText(text: string): readonly TextFlag[] {
  if (plain.test(text)) return [];
  const flags = inspections.filter(([, pattern]) => text.search(pattern) !== -1).map(([flag]) => flag);
  if (!text.isWellFormed()) flags.push("lone-surrogate");
  return flags;
}

/**
 * A text made safe to show or to quote: without escape sequences, control characters (line feed and
 * tab stay), bidirectional overrides, invisible and tag characters; lone surrogates become U+FFFD;
 * at most `maxLength` UTF-16 units, the last of which is `…` when something was cut.
 *
 * @example
 * cleanText(description, 200); // no escape sequences, no invisible characters, at most 200 long
 */
export function cleanText(text: string, maxLength: number = Number.POSITIVE_INFINITY): string {
  if (text.length <= maxLength && plain.test(text)) return text;
  // Twice the length is enough raw material and bounds the work on a text of megabytes.
  const raw = Number.isFinite(maxLength) ? headOf(text, maxLength * 2 + 64) : text;
  // Well-formed first: dropping a character from between two lone surrogates would make a new one
  // of them.
  const clean = dropUnseen(raw.toWellFormed().replace(/\r\n?/g, "\n").replace(ansi, "").replace(control, ""));
  return truncateText(raw.length < text.length ? `${clean}…` : clean, maxLength);
}

/**
 * A text of a server's without what nobody sees: bidirectional controls, invisible and tag
 * characters. Everything else stays, but lone surrogates become U+FFFD. For what a model or a
 * program reads; a terminal needs {@linkcode cleanText}.
 */
export function dropUnseen(text: string): string {
  if (low.test(text)) return text;
  const whole = text.toWellFormed();
  const first = whole.search(hidden);
  return first === -1 ? whole : whole.slice(0, first) + dropHidden(whole.slice(first));
}

// By UTF-16 unit: whether it stays. Of the first unit of a pair: whether all such pairs do.
const [unknown, stays, goes, depends] = [0, 1, 2, 3];
const fates = new Uint8Array(0x1_00_00);
const units = new TextDecoder("utf-16le", { ignoreBOM: true });

// Millions of replacements by a pattern take many times as long.
function dropHidden(text: string): string {
  const kept = new Uint16Array(text.length);
  let length = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    const isPair = isHighSurrogate(unit);
    if (fates[unit] === unknown) fates[unit] = isPair ? fateOfPairs(unit) : fateOf(String.fromCharCode(unit));
    const fate = fates[unit] === depends ? fateOf(text.slice(index, index + 2)) : fates[unit];
    if (fate === stays) kept[length++] = unit;
    if (!isPair) continue;
    index += 1;
    if (fate === stays) kept[length++] = text.charCodeAt(index);
  }
  return units.decode(kept.subarray(0, length));
}

function fateOfPairs(lead: number): number {
  const pairs = Array.from({ length: 0x400 }, (_, at) => String.fromCharCode(lead, 0xdc00 + at)).join("");
  const left = pairs.replace(hidden, "").length;
  return left === pairs.length ? stays : left === 0 ? goes : depends;
}

function fateOf(character: string): number {
  return character.search(hidden) === -1 ? stays : goes;
}

/**
 * A text with `replace` of each character that {@linkcode cleanText} would drop or take for
 * another: what a terminal obeys, what turns the direction of a text, what nobody sees, and lone
 * surrogates; for those who show a text to whom it matters that it is there. Line feed and tab
 * stay.
 */
export function replaceUnseen(text: string, replace: (character: string) => string): string {
  return plain.test(text) ? text : text.replace(unseen, replace);
}

/**
 * A text with each character that nobody sees, or takes for a blank or for another one, by its
 * number: `\u{202e}`. For what a person decides about. In JSON it cannot be mistaken for what the
 * text says itself, where each backslash is doubled.
 */
export function escapeUnseen(text: string): string {
  if (plain.test(text)) return text;
  return text.replace(undecided, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

/**
 * Cuts a text to `maxLength` UTF-16 units, `…` included, without splitting a surrogate pair. A
 * shorter text is returned as is.
 *
 * @example
 * truncateText("a long text", 6); // "a lon…"
 */
export function truncateText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  return maxLength < 1 ? "" : `${headOf(text, maxLength - 1)}…`;
}

function headOf(text: string, length: number): string {
  const splitsPair = isHighSurrogate(text.charCodeAt(length - 1)) && isLowSurrogate(text.charCodeAt(length));
  return text.slice(0, splitsPair ? length - 1 : length);
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
