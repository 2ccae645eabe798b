import type { Violation } from "@hostside/core";
import {
  checkAt,
  checkEach,
  fail,
  isList,
  isObject,
  namesOf,
  readCountKeyword,
  readTexts,
  spend,
  tryCheck,
  wantsMore,
  type Check,
  type KeywordInput,
  type KeywordReader,
  type ValidationRun,
} from "./run.ts";

/** Keywords about the members of objects and the items of lists. */
export const readParts: readonly KeywordReader[] = [
  readRequired,
  readPropertyNames,
  readDependencies,
  readProperties,
  readItems,
  readContains,
];

type JsonMembers = Readonly<Record<string, unknown>>;

// A member that is `undefined` is absent: JSON has no such value.
function has(value: JsonMembers, name: string): boolean {
  return Object.hasOwn(value, name) && value[name] !== undefined;
}

function readRequired({ schema: { required } }: KeywordInput): Check | undefined {
  return required === undefined ? undefined : requireAll(readTexts(required, "required"), "required");
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

function readPropertyNames({ schema: { propertyNames }, sub }: KeywordInput): Check | undefined {
  if (propertyNames === undefined) return undefined;
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

function readDependencies({ schema, sub }: KeywordInput): Check | undefined {
  const dependents = ["dependentRequired", "dependentSchemas", "dependencies"].flatMap((keyword) =>
    readMembers(schema[keyword], keyword).map(([name, asked]): readonly [string, Check] => {
      const areNames = keyword === "dependentRequired" || (keyword === "dependencies" && isList(asked));
      return [name, areNames ? requireAll(readTexts(asked, keyword), keyword) : sub(asked)];
    }),
  );
  if (dependents.length === 0) return undefined;
  return (value, run) => {
    if (!isObject(value)) return true;
    spend(run, dependents.length);
    return checkEach(dependents, run, ([name, check]) => !has(value, name) || check(value, run));
  };
}

/** Compiles a subschema that is mostly `false`, with a message of its own for `false`. */
function readRest(schema: unknown, keyword: string, sub: KeywordInput["sub"]): Check | undefined {
  if (schema === undefined) return undefined;
  return schema === false ? (_value, run) => fail(run, keyword, "must not be there") : sub(schema);
}

function readProperties({ schema, sub, patterns }: KeywordInput): Check | undefined {
  const { properties, patternProperties, additionalProperties } = schema;
  const named = new Map(readMembers(properties, "properties").map(([name, each]) => [name, sub(each)] as const));
  const patterned = readMembers(patternProperties, "patternProperties").map(([source, each]) => {
    const pattern = patterns(source);
    // What else a member has to be depends on which of them it matches.
    if (pattern === undefined) throw new TypeError("it has patternProperties that cannot be looked for");
    return [pattern, sub(each)] as const;
  });
  const additional = readRest(additionalProperties, "additionalProperties", sub);
  if (named.size === 0 && patterned.length === 0 && additional === undefined) return undefined;
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

function readItems({ schema, sub }: KeywordInput): Check | undefined {
  const { prefixItems, items, additionalItems } = schema;
  // A list in `items` is what older dialects have for `prefixItems`.
  const isOldTuple = isList(items);
  const first = isOldTuple ? items : prefixItems;
  const rest = isOldTuple ? additionalItems : items;
  if (first === undefined && rest === undefined) return undefined;
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

function readContains({ schema, isOld, sub }: KeywordInput): Check | undefined {
  if (schema["contains"] === undefined) return undefined;
  const check = sub(schema["contains"]);
  const least = (isOld ? undefined : readCountKeyword(schema, "minContains")) ?? 1;
  const most = (isOld ? undefined : readCountKeyword(schema, "maxContains")) ?? Number.POSITIVE_INFINITY;
  return (value, run) => {
    if (!isList(value)) return true;
    const found = value.filter((item) => tryCheck(check, item, run)).length;
    const what = "items that fit what it has to contain";
    if (found < least) return fail(run, "contains", `must have at least ${least} ${what}`);
    return found <= most || fail(run, "maxContains", `must have at most ${most} ${what}`);
  };
}

/** Keywords that combine schemas. */
export const readApplicators: readonly KeywordReader[] = [
  readReference,
  readAllOf,
  readAnyOf,
  readOneOf,
  readNot,
  readCondition,
];

/** The keyword `$ref`. */
export function readReference({ schema: { $ref }, resolve }: KeywordInput): Check | undefined {
  return $ref === undefined ? undefined : resolve($ref);
}

function readList(schemas: unknown, keyword: string, sub: KeywordInput["sub"]): readonly Check[] {
  if (Array.isArray(schemas) && schemas.length > 0) return schemas.map(sub);
  throw new TypeError(`its ${keyword} is no list of schemas`);
}

function readAllOf({ schema: { allOf }, sub }: KeywordInput): Check | undefined {
  if (allOf === undefined) return undefined;
  const checks = readList(allOf, "allOf", sub);
  return (value, run) => checkEach(checks, run, (check) => check(value, run));
}

function readAnyOf({ schema: { anyOf }, sub }: KeywordInput): Check | undefined {
  if (anyOf === undefined) return undefined;
  const checks = readList(anyOf, "anyOf", sub);
  return (value, run) =>
    checks.some((check) => tryCheck(check, value, run)) || explain(checks, { value, run, keyword: "anyOf" });
}

function readOneOf({ schema: { oneOf }, sub }: KeywordInput): Check | undefined {
  if (oneOf === undefined) return undefined;
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

function readNot({ schema: { not }, sub }: KeywordInput): Check | undefined {
  if (not === undefined) return undefined;
  const check = sub(not);
  return (value, run) => !tryCheck(check, value, run) || fail(run, "not", "must not fit the schema of `not`");
}

function readCondition({ schema, sub }: KeywordInput): Check | undefined {
  if (schema["if"] === undefined) return undefined;
  const condition = sub(schema["if"]);
  const consequence = schema["then"] === undefined ? undefined : sub(schema["then"]);
  const alternative = schema["else"] === undefined ? undefined : sub(schema["else"]);
  return (value, run) => (tryCheck(condition, value, run) ? consequence : alternative)?.(value, run) ?? true;
}
