import type { JsonValue } from "@hostside/core";
import { canonicalJson, sameJson } from "@hostside/core/implement";
import {
  checkEach,
  fail,
  isList,
  isObject,
  namesOf,
  readCountKeyword,
  readNumber,
  readTexts,
  spend,
  type Check,
  type KeywordInput,
  type KeywordReader,
  type ValidationRun,
} from "./run.ts";

/** Keywords that look at a value, and at no part of it by a schema of its own. */
export const readValues: readonly KeywordReader[] = [
  readType,
  readEnum,
  readConst,
  readBounds,
  readMultipleOf,
  readPattern,
  readUniqueItems,
];

const types: ReadonlyMap<string, (value: unknown) => boolean> = new Map<string, (value: unknown) => boolean>([
  ["string", (value) => typeof value === "string"],
  ["number", (value) => typeof value === "number"],
  ["integer", (value) => Number.isInteger(value)],
  ["boolean", (value) => typeof value === "boolean"],
  ["null", (value) => value === null],
  ["array", isList],
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
  if (!isList(list)) throw new TypeError("its enum is no list");
  const allowed = list.map(sameAs);
  const message = `must be one of ${shown(list)}`;
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

/** Keywords that bound one amount of a value. */
interface Bounds {
  /** Measures the amount; `undefined` for a value that has none. */
  readonly measure: (value: unknown, run: ValidationRun) => number | undefined;
  /** By keyword the words before and behind the bound. */
  readonly words: Readonly<Record<string, readonly [before: string, behind: string]>>;
}

const bounds: readonly Bounds[] = [
  {
    measure: (value) => (typeof value === "number" ? value : undefined),
    words: {
      minimum: ["must be at least", ""],
      maximum: ["must be at most", ""],
      exclusiveMinimum: ["must be more than", ""],
      exclusiveMaximum: ["must be less than", ""],
    },
  },
  {
    measure: (value, run) => (typeof value === "string" ? lengthOf(value, run) : undefined),
    words: {
      minLength: ["must have at least", " characters"],
      maxLength: ["must have at most", " characters"],
    },
  },
  {
    measure: (value) => (isList(value) ? value.length : undefined),
    words: { minItems: ["must have at least", " items"], maxItems: ["must have at most", " items"] },
  },
  {
    measure: (value, run) => (isObject(value) ? namesOf(value, run).length : undefined),
    words: {
      minProperties: ["must have at least", " properties"],
      maxProperties: ["must have at most", " properties"],
    },
  },
];

function readBounds({ schema }: KeywordInput): Check | undefined {
  const checks = bounds.flatMap(({ measure, words }) => {
    const limits = Object.entries(words).flatMap(([keyword, [before, behind]]) => {
      const limit = (behind === "" ? readNumber : readCountKeyword)(schema, keyword);
      return limit === undefined ? [] : [{ keyword, limit, message: `${before} ${limit}${behind}` }];
    });
    if (limits.length === 0) return [];
    return (value: unknown, run: ValidationRun): boolean => {
      const amount = measure(value, run);
      if (amount === undefined) return true;
      return checkEach(limits, run, ({ keyword, limit, message }) => {
        return isWithin(keyword, amount, limit) || fail(run, keyword, message);
      });
    };
  });
  return checks.length === 0 ? undefined : (value, run) => checkEach(checks, run, (check) => check(value, run));
}

function isWithin(keyword: string, amount: number, limit: number): boolean {
  if (keyword === "exclusiveMinimum") return amount > limit;
  if (keyword === "exclusiveMaximum") return amount < limit;
  return keyword.startsWith("min") ? amount >= limit : amount <= limit;
}

function lengthOf(text: string, run: ValidationRun): number {
  spend(run, text.length / 8);
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}

// By how much a quotient of two decimals may miss a whole number.
const rounding = 1e-9;

function readMultipleOf({ schema }: KeywordInput): Check | undefined {
  const divisor = readNumber(schema, "multipleOf");
  if (divisor === undefined) return undefined;
  if (divisor <= 0) throw new TypeError("its multipleOf is not above 0");
  const isMultiple = (value: number): boolean => {
    const quotient = value / divisor;
    const missing = Math.abs(quotient - Math.round(quotient));
    return Number.isInteger(quotient) || (!Number.isInteger(divisor) && missing <= rounding);
  };
  const message = `must be a multiple of ${divisor}`;
  return (value, run) => typeof value !== "number" || isMultiple(value) || fail(run, "multipleOf", message);
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

// Not each with each other: that takes seconds for a list of 20,000.
function readUniqueItems({ schema: { uniqueItems } }: KeywordInput): Check | undefined {
  if (uniqueItems === undefined || uniqueItems === false) return undefined;
  if (uniqueItems !== true) throw new TypeError("its uniqueItems is no boolean");
  return (value, run) => {
    if (!isList(value)) return true;
    const known = new Set<string>();
    for (const item of value) {
      const text = textOf(item, run);
      spend(run, typeof item === "object" ? 20 + text.length : 2 + text.length / 8);
      if (known.has(text)) return fail(run, "uniqueItems", "must not have an item twice");
      known.add(text);
    }
    return true;
  };
}

function textOf(item: unknown, run: ValidationRun): string {
  try {
    return canonicalJson(item === undefined ? null : (item as JsonValue));
  } catch {
    // Nested deeper than anything is checked.
    spend(run, Number.POSITIVE_INFINITY);
    throw new TypeError("no JSON");
  }
}
