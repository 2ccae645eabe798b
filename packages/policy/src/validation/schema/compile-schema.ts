import type { Violation } from "@hostside/core";
import { readKeywords } from "./keywords.ts";
import { createPatternReader, type PatternEngine } from "./read-pattern.ts";
import { createRun, enter, fail, isObject, tooMuch, type Check, type KeywordInput, type SchemaObject } from "./run.ts";

/** The result of one check: the value fits, these things are wrong, or it was too much to check. */
export type ValidationResult =
  | { readonly kind: "valid" }
  | { readonly kind: "invalid"; readonly violations: readonly Violation[] }
  | { readonly kind: "too-much" };

/** A schema that values can be checked against. */
export interface CompiledSchema {
  /** How many of its patterns are not supported, and are taken to match. */
  readonly uncheckedPatterns: number;
  /** Takes a tenth of a second at most, or twice that where something is wrong. */
  check(value: unknown): ValidationResult;
}

/**
 * Compiles a schema of JSON Schema draft-07, 2019-09 or 2020-12, by its `$schema`; 2020-12 where it
 * has none. `format`, `unevaluated…` and the keywords about content are notes. A reference leads to
 * a JSON pointer of the schema itself; nothing is fetched. Makes no code. `loadPatternEngine` is
 * called when the schema has a pattern.
 *
 * Rejects with a `TypeError` that says, in words of this host, why the schema cannot be used.
 */
export async function compileSchema(
  schema: unknown,
  loadPatternEngine: () => Promise<PatternEngine>,
): Promise<CompiledSchema> {
  const copy = copySchema(schema);
  const has = (name: string): boolean => copy.names.has(name);
  const read = has("pattern") || has("patternProperties") ? createPatternReader(await loadPatternEngine()) : undefined;
  const unchecked = new Set<string>();
  const check = compileDocument(copy.schema, (source) => {
    const pattern = read?.(source);
    if (pattern === undefined) unchecked.add(source);
    return pattern;
  });
  // What is taken to match makes a schema allow more, but not where what does not fit makes another
  // part fit.
  if ((unchecked.size > 0 || notes.some(has)) && turning.some(has)) {
    throw new TypeError("it has a keyword or pattern that is not supported, and says what must not fit");
  }
  return { uncheckedPatterns: unchecked.size, check: (value) => checkValue(check, value) };
}

const turning = ["not", "if", "oneOf", "maxContains"];
const notes = ["unevaluatedProperties", "unevaluatedItems"];
const valid: ValidationResult = { kind: "valid" };

function checkValue(check: Check, value: unknown): ValidationResult {
  const isValid = attempt(() => check(value, createRun(undefined)));
  if (isValid === undefined) return { kind: "too-much" };
  if (isValid) return valid;
  const violations: Violation[] = [];
  // When it is too much to find all that is wrong, what was found will do.
  attempt(() => check(value, createRun(violations)));
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

const deepest = 100;
const mostNodes = 50_000;

/** Copies a schema, so that it is plain, bounded and never changes. */
function copySchema(schema: unknown): { readonly schema: unknown; readonly names: ReadonlySet<string> } {
  const names = new Set<string>();
  let nodes = 0;
  const copy = (value: unknown, depth: number): unknown => {
    nodes += 1;
    if (nodes > mostNodes) throw new TypeError(`it has more than ${mostNodes} values`);
    if (typeof value === "string" || typeof value === "boolean" || value === null) return value;
    if (typeof value === "number" && Number.isFinite(value)) return value;
    if (typeof value !== "object") throw new TypeError("it holds what is no JSON");
    if (depth > deepest) throw new TypeError(`it is nested more than ${deepest} deep`);
    if (Array.isArray(value)) return value.map((item) => copy(item, depth + 1));
    const members: Record<string, unknown> = Object.create(null);
    for (const [name, member] of Object.entries(value)) {
      if (member === undefined) continue;
      names.add(name);
      members[name] = copy(member, depth + 1);
    }
    return members;
  };
  return { schema: copy(schema, 0), names };
}

// Whether a `$ref` stands alone. Draft-06 has nothing that draft-07 reads otherwise.
const dialects: ReadonlyMap<string, boolean> = new Map([
  ["json-schema.org/draft-06/schema", true],
  ["json-schema.org/draft-07/schema", true],
  ["json-schema.org/draft/2019-09/schema", false],
  ["json-schema.org/draft/2020-12/schema", false],
  ["json-schema.org/schema", false],
]);

function isOldDialect({ $schema = "json-schema.org/schema" }: SchemaObject): boolean {
  const isOld =
    typeof $schema === "string" ? dialects.get($schema.replace(/^https?:\/\//, "").replace(/#$/, "")) : undefined;
  if (isOld === undefined) throw new TypeError("its $schema is none of draft-07, 2019-09 and 2020-12");
  return isOld;
}

function compileDocument(root: unknown, patterns: KeywordInput["patterns"]): Check {
  const { $id, ...own } = isObject(root) ? root : ({} as SchemaObject);
  const isOld = isOldDialect(own);
  // Each schema is compiled once, however many references lead to it.
  const compiled = new Map<SchemaObject, Check>();
  const waiting: (() => void)[] = [];
  const compile = (schema: unknown): Check => {
    if (!isObject(schema)) return compileBoolean(schema);
    const known = compiled.get(schema);
    if (known !== undefined) return known;
    const isResource = schema !== root && typeof schema["$id"] === "string" && !schema["$id"].startsWith("#");
    if (isResource) throw new TypeError("a part of it has an $id of its own, which is not known");
    const check = compileObject({ schema, isOld, patterns, sub: compile, resolve });
    compiled.set(schema, check);
    return check;
  };
  // A reference may lead back to where it is, and a chain of them may be long: what it leads to is
  // compiled later.
  const resolve = (reference: unknown): Check => {
    const target = find(root, readPointer(reference, $id));
    let check: Check | undefined;
    waiting.push(() => (check = compile(target)));
    return (value, run) => check?.(value, run) ?? true;
  };
  const check = compile(root);
  for (let work = waiting.pop(); work !== undefined; work = waiting.pop()) work();
  return check;
}

/** The tokens of a reference within the schema. */
function readPointer(reference: unknown, rootId: unknown): readonly string[] {
  if (typeof reference !== "string") throw new TypeError("a reference in it is no text");
  const isOwn = typeof rootId === "string" && reference.startsWith(rootId);
  const pointer = isOwn ? reference.slice(rootId.length) : reference;
  if (pointer === "" || pointer === "#") return [];
  if (!pointer.startsWith("#")) throw new TypeError("a reference leads out of it, and nothing is fetched");
  if (!pointer.startsWith("#/")) throw new TypeError("a reference in it leads to a name, and only pointers are known");
  try {
    const tokens = decodeURIComponent(pointer.slice(2)).split("/");
    return tokens.map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
  } catch (cause) {
    throw new TypeError("a reference in it is not encoded as a URI is", { cause });
  }
}

function find(root: unknown, pointer: readonly string[]): unknown {
  let at = root;
  for (const name of pointer) {
    if (Array.isArray(at))
      at = /^(?:0|[1-9]\d{0,8})$/.test(name) ? (at as readonly unknown[])[Number(name)] : undefined;
    else at = isObject(at) ? at[name] : undefined;
    if (at === undefined) throw new TypeError("a reference in it leads nowhere");
  }
  return at;
}

function compileBoolean(schema: unknown): Check {
  if (schema === true) return () => true;
  if (schema === false) return (_value, run) => fail(run, "false", "must not be there");
  throw new TypeError("a part of it is no schema");
}

function compileObject(input: KeywordInput): Check {
  const { schema } = input;
  for (const name of ["$dynamicRef", "$recursiveRef"]) {
    if (schema[name] !== undefined) throw new TypeError(`it has a ${name}, which is not known`);
  }
  const checks = readKeywords(input);
  return (value, run) => {
    enter(run);
    let isValid = true;
    for (const check of checks) {
      if (check(value, run)) continue;
      isValid = false;
      if (run.violations === undefined) break;
    }
    run.depth -= 1;
    return isValid;
  };
}
