import { canonicalJson, sameJson } from "@hostside/core/implement";
import type { JsonValue } from "@hostside/core";
import { formatChecks } from "./formats.ts";
import { readCountKeyword, readNumber, readTexts, type KeywordInput, type KeywordReader } from "./keyword.ts";
import { fail, spend, type Check, type ValidationRun } from "./run.ts";

/** `type`, `enum` and `const`. */
export const readKinds: readonly KeywordReader[] = [readType, readEnum, readConst];

/** What only numbers and only texts are asked for. */
export const readScalars: readonly KeywordReader[] = [readBounds, readMultipleOf, readLengths, readPattern, readFormat];

const types: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ["string", (value) => typeof value === "string"],
  ["number", (value) => typeof value === "number"],
  ["integer", (value) => Number.isInteger(value)],
  ["boolean", (value) => typeof value === "boolean"],
  ["null", (value) => value === null],
  ["array", (value) => Array.isArray(value)],
  ["object", (value) => typeof value === "object" && value !== null && !Array.isArray(value)],
]);

function readType({ schema: { type } }: KeywordInput): Check | undefined {
  if (type === undefined) return undefined;
  const names = typeof type === "string" ? [type] : readTexts(type, "type");
  const tests = names.map((name) => {
    const test = types.get(name);
    if (test === undefined) throw new TypeError("it has a type that does not exist");
    return test;
  });
  const message = `must be ${names.join(" or ")}`;
  const [only] = tests;
  if (only !== undefined && tests.length === 1) return (value, run) => only(value) || fail(run, "type", message);
  return (value, run) => tests.some((test) => test(value)) || fail(run, "type", message);
}

function readEnum({ schema: { enum: list } }: KeywordInput): Check | undefined {
  if (list === undefined) return undefined;
  if (!Array.isArray(list)) throw new TypeError("its enum is no list");
  const values: readonly unknown[] = list;
  const scalars = new Set(values.filter((each) => typeof each !== "object" || each === null));
  const others = values.filter((each) => typeof each === "object" && each !== null).map(sameAs);
  const message = `must be one of ${shown(values)}`;
  return (value, run) => {
    if (typeof value !== "object" || value === null) return scalars.has(value) || fail(run, "enum", message);
    return others.some((isSame) => isSame(value, run)) || fail(run, "enum", message);
  };
}

function readConst({ schema }: KeywordInput): Check | undefined {
  if (!Object.hasOwn(schema, "const")) return undefined;
  const isSame = sameAs(schema["const"]);
  const message = `must be ${shown([schema["const"]])}`;
  return (value, run) => isSame(value, run) || fail(run, "const", message);
}

// Goes no deeper than the schema does, whatever the value.
function sameAs(expected: unknown): (value: unknown, run: ValidationRun) => boolean {
  const steps = sizeOf(expected);
  return (value, run) => {
    spend(run, steps);
    return sameJson(expected, value);
  };
}

function sizeOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce((sum: number, member) => sum + sizeOf(member), 1);
}

function shown(values: readonly unknown[]): string {
  const text = values.map((value) => canonicalJson(value as JsonValue)).join(", ");
  return text.length <= 300 ? text : `${text.slice(0, 300)}…`;
}

function readBounds({ schema }: KeywordInput): Check | undefined {
  const limits = boundKeywords.flatMap(({ keyword, words, holds }) => {
    const limit = readNumber(schema, keyword);
    return limit === undefined ? [] : [{ keyword, limit, holds, message: `must be ${words} ${limit}` }];
  });
  if (limits.length === 0) return undefined;
  return (value, run) => {
    if (typeof value !== "number") return true;
    let isValid = true;
    for (const { keyword, limit, holds, message } of limits) {
      if (!holds(value, limit)) isValid = fail(run, keyword, message);
    }
    return isValid;
  };
}

const boundKeywords: readonly {
  readonly keyword: string;
  readonly words: string;
  readonly holds: (value: number, limit: number) => boolean;
}[] = [
  { keyword: "minimum", words: "at least", holds: (value, limit) => value >= limit },
  { keyword: "maximum", words: "at most", holds: (value, limit) => value <= limit },
  { keyword: "exclusiveMinimum", words: "more than", holds: (value, limit) => value > limit },
  { keyword: "exclusiveMaximum", words: "less than", holds: (value, limit) => value < limit },
];

function readMultipleOf({ schema }: KeywordInput): Check | undefined {
  const divisor = readNumber(schema, "multipleOf");
  if (divisor === undefined) return undefined;
  if (divisor <= 0) throw new TypeError("its multipleOf is not above 0");
  const message = `must be a multiple of ${divisor}`;
  return (value, run) => {
    if (typeof value !== "number") return true;
    spend(run, Number.isSafeInteger(value) ? 1 : 60);
    return isMultipleOf(value, divisor) || fail(run, "multipleOf", message);
  };
}

function readLengths({ schema }: KeywordInput): Check | undefined {
  const least = readCountKeyword(schema, "minLength");
  const most = readCountKeyword(schema, "maxLength");
  if (least === undefined && most === undefined) return undefined;
  return (value, run) => {
    if (typeof value !== "string") return true;
    // A character has one or two units, so that most texts need not be counted.
    const isLongEnough = least === undefined || value.length >= 2 * least;
    const isShortEnough = most === undefined || value.length <= most;
    if (isLongEnough && isShortEnough) return true;
    spend(run, value.length / 8);
    const length = countCharacters(value);
    if (least !== undefined && length < least) return fail(run, "minLength", `must have at least ${least} characters`);
    if (most !== undefined && length > most) return fail(run, "maxLength", `must have at most ${most} characters`);
    return true;
  };
}

function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

function readPattern({ schema: { pattern: source }, patterns }: KeywordInput): Check | undefined {
  if (source === undefined) return undefined;
  if (typeof source !== "string") throw new TypeError("its pattern is no text");
  const pattern = patterns(source);
  if (pattern === undefined) return undefined;
  const message = `must match the pattern ${source.length <= 200 ? source : `${source.slice(0, 200)}…`}`;
  return (value, run) => {
    if (typeof value !== "string") return true;
    spend(run, 4 + (value.length * pattern.size) / 4);
    return pattern.test(value) || fail(run, "pattern", message);
  };
}

// As long as the longest address of the web, and then some.
const longestFormatted = 10_000;

function readFormat({ schema: { format }, assertsFormats }: KeywordInput): Check | undefined {
  const isFormatted = assertsFormats && typeof format === "string" ? formatChecks.get(format) : undefined;
  if (isFormatted === undefined) return undefined;
  const message = `must be a text of the format ${String(format)}`;
  return (value, run) => {
    if (typeof value !== "string") return true;
    spend(run, 4 + value.length / 2);
    return (value.length <= longestFormatted && isFormatted(value)) || fail(run, "format", message);
  };
}

/**
 * Whether a number is a whole multiple of another, as they are written in decimal: `0.0075` is one
 * of `0.0001`.
 */
function isMultipleOf(value: number, divisor: number): boolean {
  const quotient = value / divisor;
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return Number.isInteger(quotient);
  const [a, b] = [decimalOf(value), decimalOf(divisor)];
  const shift = a.exponent - b.exponent;
  const [dividend, unit] =
    shift >= 0 ? [a.digits * 10n ** BigInt(shift), b.digits] : [a.digits, b.digits * 10n ** BigInt(-shift)];
  return dividend % unit === 0n;
}

// A number of JSON has at most 17 digits and an exponent of three, so that what is made of it is
// bounded.
function decimalOf(value: number): { readonly digits: bigint; readonly exponent: number } {
  const [mantissa = "", exponent = "0"] = Math.abs(value).toString().split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}
