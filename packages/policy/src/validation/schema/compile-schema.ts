import type { Violation } from "@hostside/core";
import { readArrays } from "./array-keywords.ts";
import { copySchema, isSchemaObject, type SchemaObject } from "./copy-schema.ts";
import type { KeywordInput } from "./keyword.ts";
import { readObjects } from "./object-keywords.ts";
import { createPatternReader, type PatternEngine, type PatternReader } from "./read-pattern.ts";
import { createSeen, enter, fail, mergeSeen, mostSteps, tooMuch, type Check, type ValidationRun } from "./run.ts";
import { readDocument, type SchemaResource, type SchemaDocument } from "./schema-document.ts";
import { readApplicators, readUnevaluated } from "./schema-keywords.ts";
import { readKinds, readScalars } from "./value-keywords.ts";

/**
 * What came of a check of one value: all is well, this is wrong, or it was too much to find out.
 */
export type ValidationResult =
  | { readonly kind: "valid" }
  | { readonly kind: "invalid"; readonly violations: readonly Violation[] }
  | { readonly kind: "too-much" };

/** A schema that values can be checked against. */
export interface CompiledSchema {
  /** How many of its patterns cannot be looked for, and are taken to match. */
  readonly uncheckedPatterns: number;
  /** Takes a tenth of a second at most, or twice that where something is wrong. */
  check(value: unknown): ValidationResult;
}

/** How a schema is made into a check. */
export interface CompileOptions {
  /** Gets the engine for patterns; called when a schema has one. */
  readonly loadPatternEngine: () => Promise<PatternEngine>;
  /**
   * Whether a text must have its `format`, of those that can be checked ({@linkcode formatChecks}).
   * Default `"annotate"`: it need not.
   */
  readonly formats?: FormatMode | undefined;
}

/** What `format` is: a note, or something that a text must fit. */
export type FormatMode = "annotate" | "assert";

/**
 * Makes a check from a schema of JSON Schema draft-07, 2019-09 or 2020-12, by its `$schema`;
 * 2020-12 where it has none. `format` is a note unless the options say otherwise, and the keywords
 * about content are notes, as the newer dialects have it. Nothing is fetched: a reference leads to
 * a part of the schema, or the schema cannot be used. Makes no code.
 *
 * Rejects with a `TypeError` that says, in words of this host, why the schema cannot be used.
 */
export async function compileSchema(
  schema: unknown,
  { loadPatternEngine, formats = "annotate" }: CompileOptions,
): Promise<CompiledSchema> {
  const copy = copySchema(schema);
  const hasPatterns = copy.names.has("pattern") || copy.names.has("patternProperties");
  const read = hasPatterns ? createPatternReader(await loadPatternEngine()) : noPatterns;
  const unchecked = new Set<string>();
  const patterns: PatternReader = (source) => {
    const pattern = read(source);
    if (pattern === undefined) unchecked.add(source);
    return pattern;
  };
  const document = readDocument(copy.schema);
  const check = compileDocument(document, { names: copy.names, patterns, assertsFormats: formats === "assert" });
  // To take one for matching makes a schema allow more, but not where what does not fit makes
  // another part fit.
  if (unchecked.size > 0 && turning.some((name) => copy.names.has(name))) {
    throw new TypeError("it has a pattern that cannot be looked for, and says what must not fit");
  }
  return { uncheckedPatterns: unchecked.size, check: (value) => checkValue(check, value) };
}

const turning = ["not", "if", "oneOf", "maxContains"];
const valid: ValidationResult = { kind: "valid" };

function noPatterns(): undefined {
  return undefined;
}

function checkValue(check: Check, value: unknown): ValidationResult {
  const isValid = attempt(() => check(value, createRun(undefined), undefined));
  if (isValid === undefined) return { kind: "too-much" };
  if (isValid) return valid;
  const violations: Violation[] = [];
  // When it is too much to find all that is wrong, what was found will do.
  attempt(() => check(value, createRun(violations), undefined));
  return { kind: "invalid", violations };
}

function attempt(check: () => boolean): boolean | undefined {
  try {
    return check();
  } catch (error) {
    if (error === tooMuch) return undefined;
    throw error;
  }
}

function createRun(violations: Violation[] | undefined): ValidationRun {
  return { steps: mostSteps, depth: 0, path: [], scope: [], violations };
}

interface CompileInit extends Pick<KeywordInput, "patterns" | "assertsFormats"> {
  readonly names: ReadonlySet<string>;
}

function compileDocument(document: SchemaDocument, { names, patterns, assertsFormats }: CompileInit): Check {
  const remembers = names.has("unevaluatedProperties") || names.has("unevaluatedItems");
  const isDynamic = names.has("$dynamicRef") || names.has("$recursiveRef");
  // Each schema is compiled once, however many references lead to it.
  const cells = new Map<SchemaObject, Cell>();
  const waiting: (() => void)[] = [];
  const cellOf = (schema: SchemaObject): Cell => {
    const found = cells.get(schema) ?? { check: undefined };
    cells.set(schema, found);
    return found;
  };
  // A reference may lead back to where it is, and a chain of them may be long: what it leads to is
  // compiled later.
  const at: KeywordInput["at"] = (schema, resource) => {
    if (!isSchemaObject(schema)) return compileBoolean(schema);
    const cell = cellOf(schema);
    if (cell.check !== undefined) return cell.check;
    waiting.push(() => void compile(schema, resource));
    return (value, run, seen) => cell.check?.(value, run, seen) ?? true;
  };
  const compile = (schema: SchemaObject, resource: SchemaResource): Check => {
    const cell = cellOf(schema);
    if (cell.check !== undefined) return cell.check;
    const sub: KeywordInput["sub"] = (part) =>
      isSchemaObject(part) ? compile(part, document.locate(part, resource).resource) : compileBoolean(part);
    const check = compileObject({ schema, resource, document, remembers, patterns, assertsFormats, sub, at });
    cell.check = isDynamic ? within(resource, check) : check;
    return cell.check;
  };

  const root = at(document.root.schema, document.root.resource);
  for (let work = waiting.pop(); work !== undefined; work = waiting.pop()) work();
  return root;
}

interface Cell {
  check: Check | undefined;
}

function compileBoolean(schema: unknown): Check {
  if (schema === true) return () => true;
  if (schema === false) return (_value, run) => fail(run, "false", "must not be there");
  throw new TypeError("a part of it is no schema");
}

function compileObject(input: KeywordInput): Check {
  const { schema, resource, remembers } = input;
  const alone = resource.dialect.refStandsAlone && schema["$ref"] !== undefined;
  const readers = alone
    ? readApplicators.slice(0, 1)
    : [...readKinds, ...readScalars, ...readObjects, ...readArrays, ...readApplicators];
  const checks = readers.map((read) => read(input)).filter((check) => check !== undefined);
  const unevaluated = remembers && !alone ? readUnevaluated(input) : undefined;
  if (unevaluated === undefined) return (value, run, seen) => checkAll(checks, { value, run, seen });
  return (value, run, seen) => {
    const own = createSeen();
    const isValid = checkAll([...checks, unevaluated], { value, run, seen: own });
    if (isValid && seen !== undefined) mergeSeen(seen, own, run);
    return isValid;
  };
}

function checkAll(
  checks: readonly Check[],
  { value, run, seen }: { value: unknown; run: ValidationRun; seen: Parameters<Check>[2] },
): boolean {
  enter(run);
  let isValid = true;
  for (const check of checks) {
    if (check(value, run, seen)) continue;
    isValid = false;
    if (run.violations === undefined) break;
  }
  run.depth -= 1;
  return isValid;
}

function within(resource: SchemaResource, check: Check): Check {
  return (value, run, seen) => {
    if (run.scope.at(-1) === resource) return check(value, run, seen);
    run.scope.push(resource);
    const isValid = check(value, run, seen);
    run.scope.pop();
    return isValid;
  };
}
