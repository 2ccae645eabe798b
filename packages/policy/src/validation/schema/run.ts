import type { Violation } from "@hostside/core";

/** One check of one value. */
export interface ValidationRun {
  /** Steps that are left, of about 50 ns each. */
  steps: number;
  depth: number;
  /** The place of the check in the value. */
  readonly path: string[];
  /** Collects problems. `undefined`: the check stops at the first one. */
  violations: Violation[] | undefined;
  /** The last length or amount that was found, and of what. */
  measured?: { readonly measure: unknown; readonly value: unknown; readonly amount: number | undefined };
}

/** Tells whether a value is what (a keyword of) a schema asks for. */
export type Check = (value: unknown, run: ValidationRun) => boolean;

/** A schema object whose members were copied, and which has no prototype. */
export interface SchemaObject {
  readonly [keyword: string]: unknown;
}

/** One schema object, and what its keywords need to be read. */
export interface KeywordInput {
  readonly schema: SchemaObject;
  /** True if draft-07 or draft-06 holds, where a `$ref` stands alone. */
  readonly isOld: boolean;
  /** Compiles a pattern; `undefined` for one that the engine does not support. */
  readonly patterns: (source: string) => Pattern | undefined;
  /** Compiles a subschema of this one. Throws a `TypeError` for what is no schema. */
  readonly sub: (schema: unknown) => Check;
  /** Compiles what a `$ref` leads to, once all before it is compiled. */
  readonly resolve: (reference: unknown) => Check;
}

/** A pattern that was compiled. */
export interface Pattern {
  readonly size: number;
  test(text: string): boolean;
}

/** Reads the value of a keyword. `undefined`: there is nothing to check by it. */
export type KeywordReader = (value: unknown, input: KeywordInput) => Check | undefined;

/** Thrown by a check that would take too long. */
export const tooMuch: unique symbol = Symbol("too much to check");

// About a tenth of a second.
const mostSteps = 2_000_000;
const mostViolations = 20;
const deepest = 400;
const longestPointer = 1000;

/** Begins a check. */
export function createRun(violations: Violation[] | undefined): ValidationRun {
  return { steps: mostSteps, depth: 0, path: [], violations };
}

/** Counts work that is about to be done. */
export function spend(run: ValidationRun, steps: number): void {
  run.steps -= steps;
  // Not an error: nobody outside sees it, and a stack trace costs most where the stack is deep.
  // oxlint-disable-next-line typescript/only-throw-error
  if (run.steps < 0) throw tooMuch;
}

/** Goes one schema deeper. */
export function enter(run: ValidationRun): void {
  run.depth += 1;
  spend(run, run.depth > deepest ? Number.POSITIVE_INFINITY : 1);
}

/** Reports a problem, if the run collects them. Always `false`. */
export function fail(run: ValidationRun, keyword: string, message: string): false {
  if (run.violations !== undefined && run.violations.length < mostViolations) {
    run.violations.push({ path: pointerOf(run.path), keyword, message });
  }
  return false;
}

/** Tells whether to go on after something was wrong. */
export function wantsMore({ violations }: ValidationRun): boolean {
  return violations !== undefined && violations.length < mostViolations;
}

/** Runs checks one after the other, until one fails and the run wants no more. */
export function checkEach<T>(items: Iterable<T>, run: ValidationRun, check: (item: T) => boolean): boolean {
  let isValid = true;
  for (const item of items) {
    if (check(item)) continue;
    if (!wantsMore(run)) return false;
    isValid = false;
  }
  return isValid;
}

/** Checks a member or an item. */
export function checkAt(
  token: string | number,
  check: Check,
  { value, run }: { value: unknown; run: ValidationRun },
): boolean {
  run.path.push(String(token));
  const isValid = check(value, run);
  run.path.pop();
  return isValid;
}

/** Tries a check that may fail, without reporting. */
export function tryCheck(check: Check, value: unknown, run: ValidationRun): boolean {
  const { violations } = run;
  run.violations = undefined;
  const isValid = check(value, run);
  run.violations = violations;
  return isValid;
}

/** A keyword whose value must be a whole number from 0. */
export function readCount(value: unknown, keyword: string): number {
  const count = readNumber(value, keyword);
  if (Number.isInteger(count) && count >= 0) return count;
  throw new TypeError(`its ${keyword} is no count`);
}

/** A keyword whose value must be a number. */
export function readNumber(value: unknown, keyword: string): number {
  if (typeof value === "number") return value;
  if (typeof value === "boolean")
    throw new TypeError(`its ${keyword} is a boolean, as in draft-04, which is not known`);
  throw new TypeError(`its ${keyword} is no number`);
}

/** A list of texts. */
export function readTexts(value: unknown, keyword: string): readonly string[] {
  if (Array.isArray(value) && value.every((item): item is string => typeof item === "string")) return value;
  throw new TypeError(`its ${keyword} is no list of texts`);
}

/** Lists the names of the members that are there. */
export function namesOf(value: Readonly<Record<string, unknown>>, run: ValidationRun): readonly string[] {
  const names = Object.keys(value).filter((name) => value[name] !== undefined);
  spend(run, names.length);
  return names;
}

/** Tells whether a value is a list of JSON. */
export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

/** Tells whether a value is an object of JSON. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function pointerOf(path: readonly string[]): string {
  const pointer = path.map((token) => `/${token.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
  return pointer.length <= longestPointer ? pointer : `${pointer.slice(0, longestPointer)}…`;
}
