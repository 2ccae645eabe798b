import type { Violation } from "@hostside/core";
import type { SchemaResource } from "./schema-document.ts";

/** One check of one value. */
export interface ValidationRun {
  /** What may still be done, in steps of about 50 ns. */
  steps: number;
  depth: number;
  /** Where the check is, in the value. */
  readonly path: string[];
  /**
   * The resources that lead to where the check is in the schema, the outermost first. Only where
   * references are dynamic.
   */
  readonly scope: SchemaResource[];
  /** Where to tell what is wrong. `undefined`: only whether something is. */
  violations: Violation[] | undefined;
}

/**
 * Which members and items of one value some schema has looked at, for `unevaluatedProperties` and
 * `unevaluatedItems`.
 */
export interface Seen {
  allNames: boolean;
  readonly names: Set<string>;
  /** How many items from the first on; `Infinity` for all. */
  items: number;
  readonly someItems: Set<number>;
}

/** Whether a value is what (a keyword of) a schema asks for. */
export type Check = (value: unknown, run: ValidationRun, seen: Seen | undefined) => boolean;

/**
 * Thrown by a check that would take too long: the schema or the value makes it do more than any
 * honest one needs.
 */
export const tooMuch: unique symbol = Symbol("too much to check");

/** The steps of one run: about a tenth of a second. */
export const mostSteps = 2_000_000;
/** How many things are told of one value. */
export const mostViolations = 20;
const deepest = 400;
const longestPointer = 1000;

/** Counts work that is about to be done. */
export function spend(run: ValidationRun, steps: number): void {
  run.steps -= steps;
  // Not an error: nobody outside sees it, and to make a stack trace costs most when the stack is
  // deep.
  // oxlint-disable-next-line typescript/only-throw-error
  if (run.steps < 0) throw tooMuch;
}

/** Goes one schema deeper. */
export function enter(run: ValidationRun): void {
  run.depth += 1;
  spend(run, run.depth > deepest ? Number.POSITIVE_INFINITY : 1);
}

/** Tells that something is wrong, if anybody wants to know. Always `false`. */
export function fail(run: ValidationRun, keyword: string, message: string): false {
  if (run.violations !== undefined && run.violations.length < mostViolations) {
    run.violations.push({ path: pointerOf(run.path), keyword, message });
  }
  return false;
}

/** What nothing fits, by this keyword. */
export function forbid(keyword: string): Check {
  return (_value, run) => fail(run, keyword, "must not be there");
}

/** Whether to go on after something was wrong. */
export function wantsMore({ violations }: ValidationRun): boolean {
  return violations !== undefined && violations.length < mostViolations;
}

/** Checks a member or an item. */
export function checkAt(
  token: string | number,
  check: Check,
  { value, run }: { value: unknown; run: ValidationRun },
): boolean {
  run.path.push(String(token));
  const isValid = check(value, run, undefined);
  run.path.pop();
  return isValid;
}

/** Tries a check that may fail, without telling. */
export function tryCheck(
  check: Check,
  value: unknown,
  { run, seen }: { run: ValidationRun; seen?: Seen | undefined },
): boolean {
  const { violations } = run;
  run.violations = undefined;
  const branch = seen && createSeen();
  const isValid = check(value, run, branch);
  run.violations = violations;
  if (isValid && seen !== undefined && branch !== undefined) mergeSeen(seen, branch, run);
  return isValid;
}

/** Nothing looked at so far. */
export function createSeen(): Seen {
  return { allNames: false, names: new Set(), items: 0, someItems: new Set() };
}

/** Adds what was looked at in another schema of the same value. */
export function mergeSeen(into: Seen, from: Seen, run: ValidationRun): void {
  spend(run, from.names.size + from.someItems.size);
  into.allNames ||= from.allNames;
  for (const name of from.names) into.names.add(name);
  into.items = Math.max(into.items, from.items);
  for (const index of from.someItems) into.someItems.add(index);
}

function pointerOf(path: readonly string[]): string {
  const pointer = path.map((token) => `/${token.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
  return pointer.length <= longestPointer ? pointer : `${pointer.slice(0, longestPointer)}…`;
}
