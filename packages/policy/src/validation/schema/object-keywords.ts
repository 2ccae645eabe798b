import {
  readCountKeyword,
  readMembers,
  readRest,
  readTexts,
  type KeywordInput,
  type KeywordReader,
} from "./keyword.ts";
import { checkAt, fail, spend, wantsMore, type Check, type ValidationRun, type Seen } from "./run.ts";
import type { Pattern } from "./read-pattern.ts";

/** What only objects are asked for. */
export const readObjects: readonly KeywordReader[] = [
  readRequired,
  readMemberCounts,
  readPropertyNames,
  readDependencies,
  readProperties,
];

/** A value as an object with members. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

// A member that is `undefined` is absent: JSON has no such value.
function has(value: Readonly<Record<string, unknown>>, name: string): boolean {
  return Object.hasOwn(value, name) && value[name] !== undefined;
}

function namesOf(value: Readonly<Record<string, unknown>>, run: ValidationRun): readonly string[] {
  const names = Object.keys(value);
  spend(run, names.length);
  return names;
}

function readRequired({ schema: { required } }: KeywordInput): Check | undefined {
  if (required === undefined) return undefined;
  return requireAll(readTexts(required, "required"), "required");
}

function requireAll(names: readonly string[], keyword: string): Check {
  return (value, run) => {
    if (!isObject(value)) return true;
    spend(run, names.length);
    let isValid = true;
    for (const name of names) {
      if (has(value, name)) continue;
      isValid = fail(run, keyword, `must have the property ${quoted(name)}`);
      if (!wantsMore(run)) return false;
    }
    return isValid;
  };
}

function readMemberCounts({ schema }: KeywordInput): Check | undefined {
  const least = readCountKeyword(schema, "minProperties");
  const most = readCountKeyword(schema, "maxProperties");
  if (least === undefined && most === undefined) return undefined;
  return (value, run) => {
    if (!isObject(value)) return true;
    const count = namesOf(value, run).filter((name) => value[name] !== undefined).length;
    if (least !== undefined && count < least)
      return fail(run, "minProperties", `must have at least ${least} properties`);
    if (most !== undefined && count > most) return fail(run, "maxProperties", `must have at most ${most} properties`);
    return true;
  };
}

function readPropertyNames({ schema: { propertyNames }, sub }: KeywordInput): Check | undefined {
  if (propertyNames === undefined) return undefined;
  const check = sub(propertyNames);
  return (value, run) => {
    if (!isObject(value)) return true;
    let isValid = true;
    for (const name of namesOf(value, run)) {
      if (checkAt(name, check, { value: name, run })) continue;
      if (!wantsMore(run)) return false;
      isValid = false;
    }
    return isValid;
  };
}

function readDependencies({ schema, sub }: KeywordInput): Check | undefined {
  const dependents: (readonly [string, Check])[] = [];
  for (const keyword of ["dependentRequired", "dependentSchemas", "dependencies"]) {
    if (schema[keyword] === undefined) continue;
    for (const [name, asked] of readMembers(schema[keyword], keyword)) {
      const isList = keyword === "dependentRequired" || (keyword === "dependencies" && Array.isArray(asked));
      dependents.push([name, isList ? requireAll(readTexts(asked, keyword), keyword) : sub(asked)]);
    }
  }
  if (dependents.length === 0) return undefined;
  return (value, run, seen) => {
    if (!isObject(value)) return true;
    spend(run, dependents.length);
    let isValid = true;
    for (const [name, check] of dependents) {
      if (!has(value, name) || check(value, run, seen)) continue;
      if (!wantsMore(run)) return false;
      isValid = false;
    }
    return isValid;
  };
}

interface Members {
  readonly named: ReadonlyMap<string, Check>;
  readonly patterned: readonly (readonly [Pattern, Check])[];
  readonly additional: Check | undefined;
}

function readProperties({ schema, sub, patterns }: KeywordInput): Check | undefined {
  const { properties, patternProperties, additionalProperties } = schema;
  if (properties === undefined && patternProperties === undefined && additionalProperties === undefined)
    return undefined;
  const named = new Map(
    properties === undefined
      ? []
      : readMembers(properties, "properties").map(([name, each]) => [name, sub(each)] as const),
  );
  const patterned =
    patternProperties === undefined
      ? []
      : readMembers(patternProperties, "patternProperties").map(([source, each]) => {
          const pattern = patterns(source);
          // What else a member has to be depends on which of them it matches.
          if (pattern === undefined) throw new TypeError("it has patternProperties that cannot be looked for");
          return [pattern, sub(each)] as const;
        });
  const additional = readRest(additionalProperties, "additionalProperties", sub);
  const members: Members = { named, patterned, additional };
  const goesByNames = patterned.length === 0 && additional === undefined;
  return (value, run, seen) => {
    if (!isObject(value)) return true;
    return goesByNames ? checkNamed({ value, run, seen }, named) : checkMembers({ value, run, seen }, members);
  };
}

interface ObjectCheck {
  readonly value: Readonly<Record<string, unknown>>;
  readonly run: ValidationRun;
  readonly seen: Seen | undefined;
}

// Goes by the names in the schema: the value may have any number of others.
function checkNamed({ value, run, seen }: ObjectCheck, named: ReadonlyMap<string, Check>): boolean {
  let isValid = true;
  for (const [name, check] of named) {
    if (!has(value, name)) continue;
    seen?.names.add(name);
    if (checkAt(name, check, { value: value[name], run })) continue;
    if (!wantsMore(run)) return false;
    isValid = false;
  }
  return isValid;
}

function checkMembers({ value, run, seen }: ObjectCheck, { named, patterned, additional }: Members): boolean {
  let isValid = true;
  for (const name of namesOf(value, run)) {
    const member = value[name];
    if (member === undefined) continue;
    const checks: Check[] = [];
    const own = named.get(name);
    if (own !== undefined) checks.push(own);
    for (const [pattern, check] of patterned) {
      spend(run, 4 + (name.length * pattern.size) / 4);
      if (pattern.test(name)) checks.push(check);
    }
    if (checks.length === 0 && additional !== undefined) checks.push(additional);
    if (checks.length > 0) seen?.names.add(name);
    for (const check of checks) {
      if (checkAt(name, check, { value: member, run })) continue;
      if (!wantsMore(run)) return false;
      isValid = false;
    }
  }
  return isValid;
}

function quoted(name: string): string {
  return JSON.stringify(name.length <= 100 ? name : `${name.slice(0, 100)}…`);
}
