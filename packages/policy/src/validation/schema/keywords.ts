import type { JsonValue, Violation } from "@hostside/core";
import { canonicalJson, sameJson } from "@hostside/core/implement";
import {
  checkAt,
  checkEach,
  fail,
  isList,
  isObject,
  namesOf,
  readCount,
  readNumber,
  readTexts,
  spend,
  tryCheck,
  wantsMore,
  type Check,
  type KeywordInput,
  type KeywordReader,
  type SchemaObject,
  type ValidationRun,
} from "./run.ts";

const types: ReadonlyMap<string, (value: unknown) => boolean> = new Map<string, (value: unknown) => boolean>([
  ["string", (value) => typeof value === "string"],
  ["number", (value) => typeof value === "number"],
  ["integer", (value) => Number.isInteger(value)],
  ["boolean", (value) => typeof value === "boolean"],
  ["null", (value) => value === null],
  ["array", isList],
  ["object", isObject],
]);

function readType(type: unknown): Check {
  const names = typeof type === "string" ? [type] : readTexts(type, "type");
  const tests = names.map((name) => {
    const test = types.get(name);
    if (test === undefined) throw new TypeError("it has a type that does not exist");
    return test;
  });
  const message = `must be ${names.join(" or ")}`;
  return (value, run) => tests.some((test) => test(value)) || fail(run, "type", message);
}

function readEnum(list: unknown): Check {
  if (!isList(list)) throw new TypeError("its enum is no list");
  const allowed = list.map(sameAs);
  const message = `must be one of ${shown(list)}`;
  return (value, run) => allowed.some((isSame) => isSame(value, run)) || fail(run, "enum", message);
}

function readConst(expected: unknown): Check {
  const isSame = sameAs(expected);
  const message = `must be ${shown([expected])}`;
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

/** Measures what a keyword bounds; `undefined` for a value that has none of it. */
type Measure = (value: unknown, run: ValidationRun) => number | undefined;

const amountOf: Measure = (value) => (typeof value === "number" ? value : undefined);
const charactersOf: Measure = (value, run) => (typeof value === "string" ? lengthOf(value, run) : undefined);
const itemsOf: Measure = (value) => (isList(value) ? value.length : undefined);
const propertiesOf: Measure = (value, run) => (isObject(value) ? namesOf(value, run).length : undefined);

/** By keyword: the measure, and the words before and behind the bound. */
const bounds: Readonly<Record<string, readonly [measure: Measure, before: string, behind: string]>> = {
  minimum: [amountOf, "be at least", ""],
  maximum: [amountOf, "be at most", ""],
  exclusiveMinimum: [amountOf, "be more than", ""],
  exclusiveMaximum: [amountOf, "be less than", ""],
  minLength: [charactersOf, "have at least", " characters"],
  maxLength: [charactersOf, "have at most", " characters"],
  minItems: [itemsOf, "have at least", " items"],
  maxItems: [itemsOf, "have at most", " items"],
  minProperties: [propertiesOf, "have at least", " properties"],
  maxProperties: [propertiesOf, "have at most", " properties"],
};

const boundReaders = Object.entries(bounds).map(([keyword, [measure, before, behind]]): Keyword => [
  keyword,
  (given) => {
    const limit = behind === "" ? readNumber(given, keyword) : readCount(given, keyword);
    const message = `must ${before} ${limit}${behind}`;
    return (value, run) => {
      // Two bounds of one value measure it once.
      if (run.measured?.measure !== measure || run.measured.value !== value)
        run.measured = { measure, value, amount: measure(value, run) };
      const { amount } = run.measured;
      return amount === undefined || isWithin(keyword, amount, limit) || fail(run, keyword, message);
    };
  },
]);

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

function readMultipleOf(given: unknown): Check {
  const divisor = readNumber(given, "multipleOf");
  if (divisor <= 0) throw new TypeError("its multipleOf is not above 0");
  const isMultiple = (value: number): boolean => {
    const quotient = value / divisor;
    const missing = Math.abs(quotient - Math.round(quotient));
    return Number.isInteger(quotient) || (!Number.isInteger(divisor) && missing <= rounding);
  };
  const message = `must be a multiple of ${divisor}`;
  return (value, run) => typeof value !== "number" || isMultiple(value) || fail(run, "multipleOf", message);
}

function readPattern(source: unknown, { patterns }: KeywordInput): Check | undefined {
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
function readUniqueItems(uniqueItems: unknown): Check | undefined {
  if (uniqueItems === false) return undefined;
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

// A member that is `undefined` is absent: JSON has no such value.
function has(value: SchemaObject, name: string): boolean {
  return Object.hasOwn(value, name) && value[name] !== undefined;
}

function requireAll(names: readonly string[], keyword: string): Check {
  return (value, run) => {
    if (!isObject(value)) return true;
    spend(run, names.length);
    return checkEach(
      names,
      run,
      (name) => has(value, name) || fail(run, keyword, `must have the property ${quoted(name)}`),
    );
  };
}

function quoted(name: string): string {
  return JSON.stringify(name.length <= 100 ? name : `${name.slice(0, 100)}…`);
}

function readPropertyNames(propertyNames: unknown, { sub }: KeywordInput): Check {
  const check = sub(propertyNames);
  return (value, run) =>
    !isObject(value) || checkEach(namesOf(value, run), run, (name) => checkAt(name, check, { value: name, run }));
}

/** The members of an object, by name. None where it is absent. */
function readMembers(value: unknown, keyword: string): readonly (readonly [string, unknown])[] {
  if (value === undefined) return [];
  if (isObject(value)) return Object.entries(value);
  throw new TypeError(`its ${keyword} is no object`);
}

/** A keyword whose members say what an object with a property of their name has to be. */
function readDependencies(keyword: string): Keyword {
  const read: KeywordReader = (given, { sub }) => {
    const dependents = readMembers(given, keyword).map(([name, asked]): readonly [string, Check] => {
      const areNames = keyword === "dependentRequired" || (keyword === "dependencies" && isList(asked));
      return [name, areNames ? requireAll(readTexts(asked, keyword), keyword) : sub(asked)];
    });
    return (value, run) => {
      if (!isObject(value)) return true;
      spend(run, dependents.length);
      return checkEach(dependents, run, ([name, check]) => !has(value, name) || check(value, run));
    };
  };
  return [keyword, read];
}

/** Compiles a subschema that is mostly `false`, with a message of its own for `false`. */
function readRest(schema: unknown, keyword: string, sub: KeywordInput["sub"]): Check | undefined {
  if (schema === undefined) return undefined;
  return schema === false ? (_value, run) => fail(run, keyword, "must not be there") : sub(schema);
}

function readProperties({ schema, sub, patterns }: KeywordInput): Check {
  const { properties, patternProperties, additionalProperties } = schema;
  const named = new Map(readMembers(properties, "properties").map(([name, each]) => [name, sub(each)] as const));
  const patterned = readMembers(patternProperties, "patternProperties").map(([source, each]) => {
    const pattern = patterns(source);
    // What else a member has to be depends on which of them it matches.
    if (pattern === undefined) throw new TypeError("it has patternProperties that cannot be looked for");
    return [pattern, sub(each)] as const;
  });
  const additional = readRest(additionalProperties, "additionalProperties", sub);
  const checksFor = (name: string, run: ValidationRun): readonly Check[] => {
    const own = named.get(name);
    const checks = own === undefined ? [] : [own];
    for (const [pattern, check] of patterned) {
      spend(run, 4 + (name.length * pattern.size) / 4);
      if (pattern.test(name)) checks.push(check);
    }
    return checks.length === 0 && additional !== undefined ? [additional] : checks;
  };
  return (value, run) =>
    !isObject(value) ||
    checkEach(namesOf(value, run), run, (name) =>
      checkEach(checksFor(name, run), run, (check) => checkAt(name, check, { value: value[name], run })),
    );
}

function readItems({ schema, sub }: KeywordInput): Check {
  const { prefixItems, items, additionalItems } = schema;
  // A list in `items` is what older dialects have for `prefixItems`.
  const isOldTuple = isList(items);
  const first = isOldTuple ? items : prefixItems;
  const rest = isOldTuple ? additionalItems : items;
  if (first !== undefined && !isList(first)) throw new TypeError("its prefixItems is no list");
  const firstChecks = (first ?? []).map(sub);
  const restCheck = readRest(rest, isOldTuple ? "additionalItems" : "items", sub);
  return (value, run) => {
    if (!isList(value)) return true;
    const checked = restCheck === undefined ? value.slice(0, firstChecks.length) : value;
    return checkEach(checked.entries(), run, ([index, item]) => {
      const check = firstChecks[index] ?? restCheck;
      return check === undefined || checkAt(index, check, { value: item, run });
    });
  };
}

function readContains(contains: unknown, { schema, isOld, sub }: KeywordInput): Check {
  const check = sub(contains);
  const countOf = (keyword: string, otherwise: number): number =>
    isOld || schema[keyword] === undefined ? otherwise : readCount(schema[keyword], keyword);
  const least = countOf("minContains", 1);
  const most = countOf("maxContains", Number.POSITIVE_INFINITY);
  return (value, run) => {
    if (!isList(value)) return true;
    const found = value.filter((item) => tryCheck(check, item, run)).length;
    const what = "items that fit what it has to contain";
    if (found < least) return fail(run, "contains", `must have at least ${least} ${what}`);
    return found <= most || fail(run, "maxContains", `must have at most ${most} ${what}`);
  };
}

function readList(schemas: unknown, keyword: string, sub: KeywordInput["sub"]): readonly Check[] {
  if (Array.isArray(schemas) && schemas.length > 0) return schemas.map(sub);
  throw new TypeError(`its ${keyword} is no list of schemas`);
}

function readAllOf(allOf: unknown, { sub }: KeywordInput): Check {
  const checks = readList(allOf, "allOf", sub);
  return (value, run) => checkEach(checks, run, (check) => check(value, run));
}

function readAnyOf(anyOf: unknown, { sub }: KeywordInput): Check {
  const checks = readList(anyOf, "anyOf", sub);
  return (value, run) =>
    checks.some((check) => tryCheck(check, value, run)) || explain(checks, { value, run, keyword: "anyOf" });
}

function readOneOf(oneOf: unknown, { sub }: KeywordInput): Check {
  const checks = readList(oneOf, "oneOf", sub);
  return (value, run) => {
    const fitting = checks.filter((check) => tryCheck(check, value, run)).length;
    if (fitting === 0) return explain(checks, { value, run, keyword: "oneOf" });
    return fitting === 1 || fail(run, "oneOf", `must fit only one of ${checks.length} schemas, and fits ${fitting}`);
  };
}

// Reports by the one schema that was probably meant: the only one that is not refused at once.
function explain(
  checks: readonly Check[],
  { value, run, keyword }: { readonly value: unknown; readonly run: ValidationRun; readonly keyword: string },
): false {
  const reported = run.violations;
  if (reported === undefined || !wantsMore(run)) return false;
  const branches = checks.map((check) => {
    const violations: Violation[] = [];
    run.violations = violations;
    check(value, run);
    return violations;
  });
  run.violations = reported;
  const depth = run.path.length;
  const meant = branches.filter((violations) => !violations.some((violation) => isOtherKind(violation, depth)));
  const messages = new Set(branches.flatMap((violations) => violations.map(({ message }) => message)));
  const why = meant.length === 0 && messages.size <= 5 ? `: ${Array.from(messages).join("; or ")}` : "";
  fail(run, keyword, `must fit ${keyword === "oneOf" ? "exactly" : "at least"} one of ${checks.length} schemas${why}`);
  if (meant.length === 1) for (const violation of meant[0] ?? []) if (wantsMore(run)) reported.push(violation);
  return false;
}

// Another type altogether, or another value in the member that tells the schemas apart.
function isOtherKind({ path, keyword }: Violation, depth: number): boolean {
  const below = path.split("/").length - 1 - depth;
  return keyword === "type" ? below === 0 : (keyword === "const" || keyword === "enum") && below <= 1;
}

function readNot(not: unknown, { sub }: KeywordInput): Check {
  const check = sub(not);
  return (value, run) => !tryCheck(check, value, run) || fail(run, "not", "must not fit the schema of `not`");
}

function readCondition(condition: unknown, { schema, sub }: KeywordInput): Check {
  const check = sub(condition);
  const consequence = schema["then"] === undefined ? undefined : sub(schema["then"]);
  const alternative = schema["else"] === undefined ? undefined : sub(schema["else"]);
  return (value, run) => (tryCheck(check, value, run) ? consequence : alternative)?.(value, run) ?? true;
}

/** A keyword, and how it is read where a schema has it. */
type Keyword = readonly [keyword: string, read: KeywordReader];

/** The keywords of JSON Schema that say what is valid, in the order of their checks. */
const keywords: readonly Keyword[] = [
  ["type", readType],
  ["enum", readEnum],
  ["const", readConst],
  ...boundReaders,
  ["multipleOf", readMultipleOf],
  ["pattern", readPattern],
  ["uniqueItems", readUniqueItems],
  ["required", (required) => requireAll(readTexts(required, "required"), "required")],
  ["propertyNames", readPropertyNames],
  ...["dependentRequired", "dependentSchemas", "dependencies"].map(readDependencies),
];

/** Keywords that make one check together. */
const groups = [
  [["properties", "patternProperties", "additionalProperties"], readProperties],
  [["prefixItems", "items"], readItems],
] as const;

const combining: readonly Keyword[] = [
  ["contains", readContains],
  ["$ref", ($ref, { resolve }) => resolve($ref)],
  ["allOf", readAllOf],
  ["anyOf", readAnyOf],
  ["oneOf", readOneOf],
  ["not", readNot],
  ["if", readCondition],
];

/** Reads all keywords of one schema. Throws a `TypeError` for one that makes no sense. */
export function readKeywords(input: KeywordInput): readonly Check[] {
  const { schema, isOld, resolve } = input;
  if (isOld && schema["$ref"] !== undefined) return [resolve(schema["$ref"])];
  const read = (all: readonly Keyword[]): readonly Check[] =>
    all.flatMap(([keyword, reader]) => (schema[keyword] === undefined ? [] : (reader(schema[keyword], input) ?? [])));
  const together = groups.flatMap(([names, reader]) =>
    names.some((name) => schema[name] !== undefined) ? reader(input) : [],
  );
  return [...read(keywords), ...together, ...read(combining)];
}
