import type { Violation } from "@hostside/core";
import { isList } from "./array-keywords.ts";
import { readRest, type KeywordInput, type KeywordReader } from "./keyword.ts";
import { isObject } from "./object-keywords.ts";
import {
  checkAt,
  createSeen,
  fail,
  mergeSeen,
  spend,
  tryCheck,
  wantsMore,
  type Check,
  type ValidationRun,
  type Seen,
} from "./run.ts";

/** Keywords that apply other schemas to the same value. */
export const readApplicators: readonly KeywordReader[] = [
  readReference,
  readDynamicReference,
  readRecursiveReference,
  readAllOf,
  readAnyOf,
  readOneOf,
  readNot,
  readCondition,
];

function readReference({ schema: { $ref }, resource, document, at }: KeywordInput): Check | undefined {
  if ($ref === undefined) return undefined;
  const target = document.resolve($ref, resource);
  return at(target.schema, target.resource);
}

function readDynamicReference({ schema: { $dynamicRef }, resource, document, at }: KeywordInput): Check | undefined {
  if ($dynamicRef === undefined || resource.dialect.name !== "2020-12") return undefined;
  const target = document.resolve($dynamicRef, resource);
  const initial = at(target.schema, target.resource);
  const name = target.dynamicAnchor;
  if (name === undefined) return initial;
  const candidates = new Map(
    document.resources.flatMap((each) => {
      const found = each.dynamicAnchors.get(name);
      return found === undefined ? [] : [[each, at(found.schema, found.resource)] as const];
    }),
  );
  return (value, run, seen) => outermost(candidates, initial, run)(value, run, seen);
}

function readRecursiveReference({
  schema: { $recursiveRef },
  resource,
  document,
  at,
}: KeywordInput): Check | undefined {
  if ($recursiveRef === undefined || resource.dialect.name !== "2019-09") return undefined;
  const target = document.resolve($recursiveRef, resource);
  const initial = at(target.schema, target.resource);
  if (!isRecursive(target.schema)) return initial;
  const candidates = new Map(
    document.resources.filter(({ root }) => isRecursive(root)).map((each) => [each, at(each.root, each)] as const),
  );
  return (value, run, seen) => outermost(candidates, initial, run)(value, run, seen);
}

function isRecursive(schema: unknown): boolean {
  return isObject(schema) && schema["$recursiveAnchor"] === true;
}

function outermost(
  candidates: ReadonlyMap<ValidationRun["scope"][number], Check>,
  initial: Check,
  run: ValidationRun,
): Check {
  spend(run, run.scope.length);
  for (const resource of run.scope) {
    const check = candidates.get(resource);
    if (check !== undefined) return check;
  }
  return initial;
}

function readList(schemas: unknown, keyword: string, sub: KeywordInput["sub"]): readonly Check[] {
  if (Array.isArray(schemas) && schemas.length > 0) return schemas.map(sub);
  throw new TypeError(`its ${keyword} is no list of schemas`);
}

function readAllOf({ schema: { allOf }, sub }: KeywordInput): Check | undefined {
  if (allOf === undefined) return undefined;
  const checks = readList(allOf, "allOf", sub);
  return (value, run, seen) => {
    let isValid = true;
    for (const check of checks) {
      if (check(value, run, seen)) continue;
      if (!wantsMore(run)) return false;
      isValid = false;
    }
    return isValid;
  };
}

function readAnyOf({ schema: { anyOf }, sub }: KeywordInput): Check | undefined {
  if (anyOf === undefined) return undefined;
  const checks = readList(anyOf, "anyOf", sub);
  return (value, run, seen) => {
    let isValid = false;
    for (const check of checks) {
      if (!tryCheck(check, value, { run, seen })) continue;
      isValid = true;
      // The others count only for what they look at.
      if (seen === undefined) return true;
    }
    return isValid || explain(checks, { value, run, keyword: "anyOf" });
  };
}

function readOneOf({ schema: { oneOf }, sub }: KeywordInput): Check | undefined {
  if (oneOf === undefined) return undefined;
  const checks = readList(oneOf, "oneOf", sub);
  return (value, run, seen) => {
    const found = seen && createSeen();
    const fitting = checks.filter((check) => tryCheck(check, value, { run, seen: found })).length;
    if (fitting === 0) return explain(checks, { value, run, keyword: "oneOf" });
    if (fitting > 1) return fail(run, "oneOf", `must fit only one of ${checks.length} schemas, and fits ${fitting}`);
    if (seen !== undefined && found !== undefined) mergeSeen(seen, found, run);
    return true;
  };
}

// Tells what is wrong by the one schema that was probably meant: the only one that is not refused
// at once.
function explain(
  checks: readonly Check[],
  { value, run, keyword }: { readonly value: unknown; readonly run: ValidationRun; readonly keyword: string },
): false {
  const reported = run.violations;
  if (reported === undefined || !wantsMore(run)) return false;
  const branches = checks.map((check) => {
    const violations: Violation[] = [];
    run.violations = violations;
    check(value, run, undefined);
    return violations;
  });
  run.violations = reported;
  fail(run, keyword, `must fit ${keyword === "oneOf" ? "exactly" : "at least"} one of ${checks.length} schemas`);
  const depth = run.path.length;
  const deep = branches.filter((violations) => !violations.some((violation) => isOtherKind(violation, depth)));
  if (deep.length === 1) for (const violation of deep[0] ?? []) if (wantsMore(run)) reported.push(violation);
  if (deep.length === 0) {
    const messages = new Set(branches.flatMap((violations) => violations.map(({ message }) => message)));
    if (messages.size <= 5) {
      const last = reported.pop();
      if (last !== undefined)
        reported.push({ ...last, message: `${last.message}: ${Array.from(messages).join("; or ")}` });
    }
  }
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
  return (value, run) => !tryCheck(check, value, { run }) || fail(run, "not", "must not fit the schema of `not`");
}

function readCondition({ schema, sub }: KeywordInput): Check | undefined {
  if (schema["if"] === undefined) return undefined;
  const condition = sub(schema["if"]);
  const consequence = schema["then"] === undefined ? undefined : sub(schema["then"]);
  const alternative = schema["else"] === undefined ? undefined : sub(schema["else"]);
  return (value, run, seen) => {
    const next = tryCheck(condition, value, { run, seen }) ? consequence : alternative;
    return next === undefined || next(value, run, seen);
  };
}

/** What no other keyword of the schema has looked at. Read after all others. */
export function readUnevaluated({ schema, sub }: KeywordInput): Check | undefined {
  const { unevaluatedProperties, unevaluatedItems } = schema;
  const members = readRest(unevaluatedProperties, "unevaluatedProperties", sub);
  const items = readRest(unevaluatedItems, "unevaluatedItems", sub);
  if (members === undefined && items === undefined) return undefined;
  return (value, run, seen) => {
    if (seen === undefined) return true;
    if (isList(value)) return items === undefined || checkOtherItems({ value, run, seen }, items);
    return members === undefined || !isObject(value) || checkOtherMembers({ value, run, seen }, members);
  };
}

interface RestOf<T> {
  readonly value: T;
  readonly run: ValidationRun;
  readonly seen: Seen;
}

function checkOtherItems({ value, run, seen }: RestOf<readonly unknown[]>, check: Check): boolean {
  let isValid = true;
  for (let index = seen.items; index < value.length; index += 1) {
    if (seen.someItems.has(index) || checkAt(index, check, { value: value[index], run })) continue;
    if (!wantsMore(run)) return false;
    isValid = false;
  }
  seen.items = Number.POSITIVE_INFINITY;
  return isValid;
}

function checkOtherMembers({ value, run, seen }: RestOf<Readonly<Record<string, unknown>>>, check: Check): boolean {
  let isValid = true;
  for (const name of Object.keys(value)) {
    spend(run, 1);
    if (value[name] === undefined || seen.allNames || seen.names.has(name)) continue;
    if (checkAt(name, check, { value: value[name], run })) continue;
    if (!wantsMore(run)) return false;
    isValid = false;
  }
  seen.allNames = true;
  return isValid;
}
