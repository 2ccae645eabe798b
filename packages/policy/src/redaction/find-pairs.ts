import type { findKnownShapes } from "@hostside/core/implement";
import type { SecretKeys } from "./secret-keys.ts";

type SecretSpan = ReturnType<typeof findKnownShapes>[number];

/** The value under a secret key. */
export interface PairSpan extends SecretSpan {
  /** The text ends before the value does. */
  readonly isOpen?: boolean | undefined;
}

const longestKey = 256;
const longestGap = 64;
// What is longer is no secret that stands anywhere else in another spelling.
const longestSearched = 65_536;
const keyCharacter = /[\p{L}\p{N}_.$-]/u;
const schemes = /^(?:basic|bearer|digest|dpop|negotiate|token|apikey)\s+(?=\S)/i;
// What a declaration says of a secret, and what code gets one from.
const notes =
  /^(?:any|bool|boolean|bytes|false|int|none|nil|null|number|optional|required|self|str|string|this|true|undefined|unknown|void)[?!.]*$/i;

/**
 * Finds the values of secret keys in a text: `"password": "x"` of JSON at any depth of escapes, an
 * object or a list as a whole; `password=x`, `X-Api-Key: x`, `'token' => 'x'`,
 * `<password>x</password>`. Values without quotation marks that are evident code
 * (`token = getToken()`, `password: string`, `password=password`) are left. Linear in the length of
 * the text.
 */
export function findPairs(text: string, keys: SecretKeys): readonly PairSpan[] {
  const found: PairSpan[] = [];
  const delimiters = /[:=>]/g;
  for (let match = delimiters.exec(text); match !== null; match = delimiters.exec(text)) {
    const at = match.index;
    const key = keyBefore(text, at);
    const verdict = key && (keys(key.name) ?? (key.longer === undefined ? undefined : keys(key.longer)));
    if (key === undefined || verdict === undefined) continue;
    delimiters.lastIndex = Math.max(at + 1, readValue(text, { at, key, verdict }, found));
  }
  return found;
}

interface Key {
  readonly name: string;
  /** With the word before it: `api key`. */
  readonly longer?: string;
  /** The backslashes and the quotation mark behind it, empty for none. */
  readonly quote: string;
  readonly isTag: boolean;
}

function keyBefore(text: string, at: number): Key | undefined {
  let end = at;
  while (end > 0 && at - end < longestGap && isGap(text.charCodeAt(end - 1))) end -= 1;
  if (isQuote(text.charCodeAt(end - 1))) return quotedKeyBefore(text, end);
  const start = wordStart(text, end);
  if (start === end) return undefined;
  const name = text.slice(start, end);
  if (text[at] === ">") return text[start - 1] === "<" ? { name, quote: "", isTag: true } : undefined;
  const before = text[start - 1] === " " ? wordStart(text, start - 1) : start;
  return { name, ...(before < start - 1 && { longer: text.slice(before, end) }), quote: "", isTag: false };
}

function quotedKeyBefore(text: string, end: number): Key | undefined {
  const mark = text.charAt(end - 1);
  let inner = end - 1;
  while (inner > 0 && text[inner - 1] === "\\" && end - inner < longestGap) inner -= 1;
  const start = text.lastIndexOf(mark, inner - 1);
  const from = Math.max(start + 1, inner - longestKey);
  const name = text.slice(from, inner);
  return { name: plain(name), quote: text.slice(inner, end), isTag: false };
}

function wordStart(text: string, end: number): number {
  let start = end;
  while (start > 0 && end - start < longestKey && keyCharacter.test(text.charAt(start - 1))) start -= 1;
  return start;
}

interface Place {
  readonly at: number;
  readonly key: Key;
  readonly verdict: "all" | "texts";
}

// Answers where to go on.
function readValue(text: string, place: Place, found: PairSpan[]): number {
  const { at, key, verdict } = place;
  const isArrow = text[at + 1] === ">";
  let start = at + (isArrow ? 2 : 1);
  const isSpaced = (code: number): boolean => isGap(code) || (key.quote !== "" && (code === 10 || code === 13));
  while (start - at < longestGap && isSpaced(text.charCodeAt(start))) start += 1;
  const quoted = readQuoted(text, start);
  if (quoted !== undefined) {
    addValue(text, quoted, found);
    return quoted.next;
  }
  if (key.quote !== "" && (text[start] === "{" || text[start] === "[")) {
    const { end, hasText, hasNumber, isOpen } = readContainer(text, start);
    if (hasText || (hasNumber && verdict === "all")) {
      found.push({ start, end, secret: text.slice(start, end), quote: key.quote, isOpen });
    }
    return end;
  }
  return isArrow ? start : readBare(text, start, { at, key, verdict, found });
}

/** A value in a text, without the marks around it. */
interface Quoted {
  readonly start: number;
  readonly end: number;
  /** The place where the text goes on behind it. */
  readonly next: number;
  readonly isOpen?: boolean;
}

const mostBackslashes = 255;

function isQuote(code: number): boolean {
  return code === 34 || code === 39 || code === 96;
}

// With as many backslashes before the marks as JSON in JSON has. One without an end goes to the end
// of the text.
function readQuoted(text: string, start: number): Quoted | undefined {
  let open = start;
  while (text[open] === "\\" && open - start < mostBackslashes) open += 1;
  if (!isQuote(text.charCodeAt(open))) return undefined;
  const depth = open - start;
  const mark = text.charAt(open);
  for (let end = text.indexOf(mark, open + 1); end !== -1; end = text.indexOf(mark, end + 1)) {
    let before = 0;
    while (text[end - 1 - before] === "\\" && end - before > open + 1) before += 1;
    if (depth === 0 ? before % 2 === 0 : before <= depth) {
      return { start: open + 1, end: depth === 0 ? end : end - before, next: end + 1 };
    }
  }
  return { start: open + 1, end: text.length, next: text.length, isOpen: true };
}

interface Container {
  readonly end: number;
  /** True if it has a text that is no name of a member. */
  readonly hasText: boolean;
  readonly hasNumber: boolean;
  readonly isOpen: boolean;
}

function readContainer(text: string, start: number): Container {
  const marks = /[[{\]}]|\\+"?|"|-?\d[\d.eE+-]*/g;
  marks.lastIndex = start;
  let [depth, hasText, hasNumber] = [0, false, false];
  for (let match = marks.exec(text); match !== null; match = marks.exec(text)) {
    const [mark] = match;
    if (mark === "[" || mark === "{") depth += 1;
    else if (mark === "]" || mark === "}") depth -= 1;
    else if (mark.endsWith('"')) {
      const quoted = readQuoted(text, match.index);
      if (quoted === undefined) continue;
      marks.lastIndex = quoted.next;
      hasText ||= quoted.end > quoted.start && !isName(text, quoted.next);
    } else if (!mark.startsWith("\\")) hasNumber = true;
    if (depth === 0) return { end: marks.lastIndex, hasText, hasNumber, isOpen: false };
  }
  return { end: text.length, hasText, hasNumber, isOpen: true };
}

function isName(text: string, at: number): boolean {
  const colon = /\s{0,64}:/y;
  colon.lastIndex = at;
  return colon.test(text);
}

function readBare(text: string, start: number, place: Place & { readonly found: PairSpan[] }): number {
  const { at, key, verdict, found } = place;
  const isHeader = text[at] === ":" && key.quote === "" && /authorization$/i.test(key.name);
  const pattern = key.isTag
    ? /[^<]*/y
    : isHeader
      ? /[^\r\n"'`\\]*/y
      : /(?:(?:basic|bearer|token)\s+)?[^\s&;,"'`<>()[\]{}|\\]*/iy;
  pattern.lastIndex = start;
  const end = start + (pattern.exec(text)?.[0].length ?? 0);
  const value = text.slice(start, end);
  if (key.quote !== "" && /^-?\d[\d.eE+-]*$/.test(value)) {
    if (verdict === "all") found.push({ start, end, secret: value, quote: key.quote });
    return end;
  }
  const isCount = verdict === "texts" && /^[\d.,]+$/.test(value);
  if (!isCount && !isCode(text, { start, end, key, isHeader })) addValue(text, { start, end }, found);
  return Math.max(end, start);
}

function isCode(
  text: string,
  { start, end, key, isHeader }: { start: number; end: number; key: Key; isHeader: boolean },
): boolean {
  if (key.isTag || isHeader) return false;
  const value = text.slice(start, Math.min(end, start + longestKey));
  if (/^[=>$%~]/.test(value) || "([{<".includes(text[end] ?? " ")) return true;
  if (notes.test(value)) return true;
  // `password=password`, `token: this.token`
  return (
    /^[A-Za-z_.]+$/.test(value) &&
    value.replace(/^.*\./, "").toLowerCase() === key.name.replace(/^.*\./, "").toLowerCase()
  );
}

function addValue(text: string, { start, end, isOpen }: Omit<Quoted, "next">, found: PairSpan[]): void {
  const value = text.slice(start, end);
  const offset = leadOf(value);
  const length = value.trimEnd().length;
  if (length <= offset) return;
  const secret = plain(value.slice(offset, length));
  found.push({ start: start + offset, end: start + length, secret, isOpen });
}

/** How much of a value is not the secret: blanks, and the scheme of a header. */
export function leadOf(value: string): number {
  const blanks = value.length - value.trimStart().length;
  return blanks + (schemes.exec(value.slice(blanks, blanks + longestKey))?.[0].length ?? 0);
}

// As it is meant, so that a secret has one placeholder however a text escapes it.
function plain(text: string): string {
  if (text.length > longestSearched) return text;
  let meant = text;
  for (let layer = 0; layer < 4 && meant.includes("\\"); layer += 1) {
    const next = unescaped(meant);
    if (next === meant) break;
    meant = next;
  }
  return /%[\da-f]{2}/i.test(meant) ? decoded(meant) : meant;
}

function unescaped(text: string): string {
  try {
    const value: unknown = JSON.parse(`"${text}"`);
    return typeof value === "string" ? value : text;
  } catch {
    return text;
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function isGap(code: number): boolean {
  return code === 32 || code === 9;
}
