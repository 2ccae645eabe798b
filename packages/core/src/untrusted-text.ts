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
