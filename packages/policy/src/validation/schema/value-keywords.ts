import { canonicalJson, sameJson } from "@hostside/core/implement";
import type { JsonValue } from "@hostside/core";
import {
  fail,
  isObject,
  readCountKeyword,
  readNumber,
  readTexts,
  spend,
  type Check,
  type KeywordInput,
  type KeywordReader,
  type ValidationRun,
} from "./run.ts";

/** `type`, `enum` and `const`. */
export const readKinds: readonly KeywordReader[] = [readType, readEnum, readConst];

/** What only numbers and only texts are asked for. */
export const readScalars: readonly KeywordReader[] = [readBounds, readMultipleOf, readLengths, readPattern];

const types: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ["string", (value) => typeof value === "string"],
  ["number", (value) => typeof value === "number"],
  ["integer", (value) => Number.isInteger(value)],
  ["boolean", (value) => typeof value === "boolean"],
  ["null", (value) => value === null],
  ["array", (value) => Array.isArray(value)],
  ["object", isObject],
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
  return (value, run) => tests.some((test) => test(value)) || fail(run, "type", message);
}

function readEnum({ schema: { enum: list } }: KeywordInput): Check | undefined {
  if (list === undefined) return undefined;
  if (!Array.isArray(list)) throw new TypeError("its enum is no list");
  const values: readonly unknown[] = list;
  const allowed = values.map(sameAs);
  const message = `must be one of ${shown(values)}`;
  return (value, run) => allowed.some((isSame) => isSame(value, run)) || fail(run, "enum", message);
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
  return (value, run) => typeof value !== "number" || isMultipleOf(value, divisor) || fail(run, "multipleOf", message);
}

function readLengths({ schema }: KeywordInput): Check | undefined {
  const least = readCountKeyword(schema, "minLength");
  const most = readCountKeyword(schema, "maxLength");
  if (least === undefined && most === undefined) return undefined;
  return (value, run) => {
    if (typeof value !== "string") return true;
    spend(run, value.length / 8);
    let length = 0;
    for (const _ of value) length += 1;
    if (least !== undefined && length < least) return fail(run, "minLength", `must have at least ${least} characters`);
    if (most !== undefined && length > most) return fail(run, "maxLength", `must have at most ${most} characters`);
    return true;
  };
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

// By how much a quotient of two decimals may miss a whole number.
const rounding = 1e-9;

function isMultipleOf(value: number, divisor: number): boolean {
  const quotient = value / divisor;
  if (Number.isInteger(quotient)) return true;
  return !Number.isInteger(divisor) && Math.abs(quotient - Math.round(quotient)) <= rounding;
}
