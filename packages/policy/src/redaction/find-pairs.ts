import type { SecretSpan } from "@hostside/core/implement";
import type { SecretKeys } from "./secret-keys.ts";
import { isQuote, readContainer, readQuoted, type Quoted } from "./read-quoted.ts";

const longestKey = 256;
const longestGap = 64;
// What is longer is no secret that stands anywhere else in another spelling.
const longestSearched = 65_536;
const delimiter = /[:=>]/;
const none: readonly SecretSpan[] = [];
const keyCharacter = /[\p{L}\p{N}_.$-]/u;
const schemes = /^(?:basic|bearer|digest|dpop|negotiate|token|apikey)\s+(?=\S)/i;
// What a declaration says of a secret, and what code gets one from.
const notes =
  /^(?:any|bool|boolean|bytes|false|int|none|nil|null|number|optional|required|self|str|string|this|true|undefined|unknown|void)[?!.]*$/i;

/**
 * Finds the values of secret keys in a text: `"password": "x"` of JSON at any depth of escapes,
 * with all below it when it is an object or a list; `password=x`, `X-Api-Key: x`, `'token' => 'x'`,
 * `<password>x</password>`. What stands without quotation marks and is evident code
 * (`token = getToken()`, `password: string`, `password=password`) is left. Linear in the length of
 * the text.
 */
export function findPairs(text: string, keys: SecretKeys): readonly SecretSpan[] {
  if (!delimiter.test(text)) return none;
  const reader = createPairReader(text, keys);
  reader.readTo(text.length);
  return reader.take(0, text.length);
}

/** Finds the same part by part. */
export interface PairReader {
  /**
   * Those of what was found that end behind `from` and begin before `to`; earlier ones are
   * forgotten.
   */
  take(from: number, to: number): readonly SecretSpan[];
  /** Goes on until every pair that begins before `end` is read, its value at least up to there. */
  readTo(end: number): void;
}

/** Makes a reader at the beginning of a text. */
export function createPairReader(text: string, keys: SecretKeys): PairReader {
  const found: SecretSpan[] = [];
  const delimiters = /[:=>]/g;
  let ahead: number | undefined;
  let container: OpenContainer | undefined;
  const next = (): number => {
    const at = ahead ?? delimiters.exec(text)?.index ?? text.length;
    ahead = undefined;
    return at;
  };
  const goOn = (read: ReadValue): void => {
    container = read.container;
    delimiters.lastIndex = read.next;
  };
  return {
    take(from, to) {
      const later = found.findIndex((span) => span.end > from);
      found.splice(0, later === -1 ? found.length : later);
      const end = found.findIndex((span) => span.start >= to);
      return found.slice(0, end === -1 ? found.length : end);
    },
    readTo(end) {
      if (container !== undefined) goOn(readMembers(text, container, { until: end, found }));
      if (container !== undefined) return;
      for (let at = next(); at < text.length; at = next()) {
        if (at >= end) {
          ahead = at;
          return;
        }
        const key = keyBefore(text, at);
        if (key === undefined) continue;
        const verdict = keys(key.name) ?? (key.longer === undefined ? undefined : keys(key.longer));
        if (verdict === undefined) continue;
        const read = readValue(text, { at, key, verdict }, { until: end, found });
        goOn({ ...read, next: Math.max(at + 1, read.next) });
        if (container !== undefined) return;
      }
      ahead = text.length;
    },
  };
}

interface OpenContainer {
  readonly place: Place;
  readonly start: number;
  readonly openBefore: number;
}

interface ReadValue {
  /** Where to go on. */
  readonly next: number;
  readonly container?: OpenContainer | undefined;
}

interface Reading {
  readonly until: number;
  readonly found: SecretSpan[];
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

function readMembers(text: string, { place, ...from }: OpenContainer, { until, found }: Reading): ReadValue {
  const { values, next, open } = readContainer(text, { ...from, until });
  for (const value of values) {
    if (value.isNumber !== true) addValue(text, value, found);
    else if (place.verdict === "all") addNumber(text, value, { quote: place.key.quote, found });
  }
  return { next, container: open > 0 ? { place, start: next, openBefore: open } : undefined };
}

function readValue(text: string, place: Place, { until, found }: Reading): ReadValue {
  const { at, key, verdict } = place;
  const isArrow = text[at + 1] === ">";
  let start = at + (isArrow ? 2 : 1);
  const isSpaced = (code: number): boolean => isGap(code) || (key.quote !== "" && (code === 10 || code === 13));
  while (start - at < longestGap && isSpaced(text.charCodeAt(start))) start += 1;
  const quoted = readQuoted(text, start);
  if (quoted !== undefined) {
    addValue(text, quoted, found);
    return { next: quoted.next };
  }
  if (key.quote !== "" && (text[start] === "{" || text[start] === "[")) {
    return readMembers(text, { place, start, openBefore: 0 }, { until, found });
  }
  return { next: isArrow ? start : readBare(text, start, { at, key, verdict, found }) };
}

function readBare(text: string, start: number, place: Place & { readonly found: SecretSpan[] }): number {
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
    if (verdict === "all") addNumber(text, { start, end }, { quote: key.quote, found });
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

function addValue(text: string, { start, end }: Pick<Quoted, "start" | "end">, found: SecretSpan[]): void {
  const value = text.slice(start, end);
  const offset = leadOf(value);
  const length = value.trimEnd().length;
  if (length <= offset) return;
  found.push({ start: start + offset, end: start + length, secret: plain(value.slice(offset, length)) });
}

function addNumber(
  text: string,
  { start, end }: Pick<Quoted, "start" | "end">,
  { quote, found }: { readonly quote: string; readonly found: SecretSpan[] },
): void {
  found.push({ start, end, secret: text.slice(start, end), quote });
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
