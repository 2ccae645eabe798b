import { endOfString } from "./count-json-values.ts";
import { quoteText, cleanText } from "./text.ts";

/** A number that is not the one that was written. */
export interface LostNumber {
  /** A JSON pointer, such as `/order/id`. */
  readonly path: string;
  /** As it was written; absent where the text is not known. */
  readonly digits?: string;
}

/** Says which number loses digits, and where; with the path `""`, only which. */
export function describeLostNumber({ path, digits }: LostNumber): string {
  const number = digits === undefined ? "a number beyond 2^53" : `the number ${cleanText(digits, 60)}`;
  return `${path === "" ? "" : `at ${quoteText(path)} `}${number}, which loses digits`;
}

/**
 * Finds the first number of a JSON text whose digits JavaScript does not keep: written again, it
 * would be another one. Looks only into the member at `within`; the path is relative to it. Walks
 * the text once, and parses nothing. The text must be valid JSON.
 */
export function findLostNumber(text: string, within: readonly string[] = []): LostNumber | undefined {
  const open: Container[] = [];
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0x22) {
      const end = endOfString(text, index);
      const top = open.at(-1);
      if (top?.isNameNext === true) {
        top.name = [index, end + 1];
        top.isNameNext = false;
      }
      index = end;
    } else if (code === 0x2c) {
      const top = open.at(-1);
      if (top?.entry !== undefined) top.entry += 1;
      else if (top !== undefined) top.isNameNext = true;
    } else if (code === 0x5b) open.push({ entry: 0, name: undefined, isNameNext: false });
    else if (code === 0x7b) open.push({ entry: undefined, name: undefined, isNameNext: true });
    else if (code === 0x5d || code === 0x7d) open.pop();
    else if (code === 0x2d || isDigit(code)) {
      const end = endOfNumber(text, index);
      const digits = text.slice(index, end);
      if (!keepsDigits(digits) && within.every((name, level) => isAt(text, open[level], name))) {
        return {
          path: open
            .slice(within.length)
            .map((one) => stepOf(nameOf(text, one)))
            .join(""),
          digits,
        };
      }
      index = end - 1;
    }
  }
  return undefined;
}

/** An object or array that is open where the walk stands. */
interface Container {
  /** The entry of an array. */
  entry: number | undefined;
  /** The begin and end of an object's last name, with its quotes. */
  name: readonly [start: number, end: number] | undefined;
  isNameNext: boolean;
}

function nameOf(text: string, { entry, name }: Container): string {
  return name === undefined ? String(entry ?? "") : (JSON.parse(text.slice(...name)) as string);
}

// An escape of one letter takes six. A longer name is another one, and is not read for each number.
function isAt(text: string, container: Container | undefined, name: string): boolean {
  const [start = 0, end = 0] = container?.name ?? [];
  return container !== undefined && end - start <= 6 * name.length + 2 && nameOf(text, container) === name;
}

function stepOf(name: string): string {
  return `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function endOfNumber(text: string, start: number): number {
  let end = start + 1;
  for (; end < text.length; end += 1) {
    const code = text.charCodeAt(end);
    if (!isDigit(code) && code !== 0x2e && code !== 0x65 && code !== 0x45 && code !== 0x2b && code !== 0x2d) break;
  }
  return end;
}

function keepsDigits(token: string): boolean {
  // A double keeps 15 digits, whatever they are.
  if (token.length <= 15 && !/e/i.test(token)) return true;
  const kept = decimalOf(String(Number(token)));
  return kept !== undefined && kept === decimalOf(token);
}

/** A decimal number in one of its many ways to be written. */
function decimalOf(token: string): string | undefined {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d*))?(?:e([+-]?\d+))?$/i.exec(token) ?? [];
  if (whole === "") return undefined;
  const digits = whole + fraction;
  let [start, end] = [0, digits.length];
  while (start < end && digits.charCodeAt(start) === 0x30) start += 1;
  while (end > start && digits.charCodeAt(end - 1) === 0x30) end -= 1;
  if (start === end) return "0";
  return `${sign}${digits.slice(start, end)}e${Number(exponent) + whole.length - end}`;
}

const parsed = new WeakMap<object, LostNumber | undefined>();

/**
 * Remembers of data that was parsed from a text whether its numbers are those of the text, so that
 * {@linkcode findLostDigits} knows.
 */
export function rememberDigits(data: object, lost: LostNumber | undefined): void {
  parsed.set(data, lost);
}

const deepest = 256;

/**
 * Finds a number of JSON data that may not be the one that was written: an integer beyond 2^53 -
 * 1, of which JavaScript keeps 15 to 17 digits, and what is not finite. A large number that is
 * written with an exponent and few digits, such as `6.022e23`, is what it says. `undefined`: there
 * is none. Data that holds itself ends, too. The text counts for data whose text is known.
 */
export function findLostDigits(data: unknown): LostNumber | undefined {
  if (typeof data !== "object" || data === null) return undefined;
  if (parsed.has(data)) return parsed.get(data);
  const path = find(data, 0);
  return path === undefined ? undefined : { path };
}

// Makes nothing for the flat arguments that most calls have.
function find(value: object, depth: number, seen?: Set<object>): string | undefined {
  let all = seen;
  for (const name of Object.keys(value)) {
    const member: unknown = Reflect.get(value, name);
    if (typeof member === "number" && !isExact(member)) return stepOf(name);
    if (typeof member !== "object" || member === null || depth >= deepest) continue;
    all ??= new Set([value]);
    if (all.has(member)) continue;
    const found = find(member, depth + 1, all.add(member));
    if (found !== undefined) return stepOf(name) + found;
  }
  return undefined;
}

function isExact(value: number): boolean {
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return true;
  if (!Number.isFinite(value) || Math.abs(value) < 1e21) return false;
  const [digits = ""] = String(value).split("e");
  return digits.replaceAll(/\D/g, "").length <= 15;
}
