import {
  checkAt,
  checkEach,
  fail,
  isObject,
  readCountKeyword,
  readMembers,
  readRest,
  readTexts,
  spend,
  type Check,
  type KeywordInput,
  type KeywordReader,
  type ValidationRun,
} from "./run.ts";

/** Keywords about objects. */
export const readObjects: readonly KeywordReader[] = [
  readRequired,
  readMemberCounts,
  readPropertyNames,
  readDependencies,
  readProperties,
];

type JsonMembers = Readonly<Record<string, unknown>>;

// A member that is `undefined` is absent: JSON has no such value.
function has(value: JsonMembers, name: string): boolean {
  return Object.hasOwn(value, name) && value[name] !== undefined;
}

function namesOf(value: JsonMembers, run: ValidationRun): readonly string[] {
  const names = Object.keys(value).filter((name) => value[name] !== undefined);
  spend(run, names.length);
  return names;
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

function readMemberCounts({ schema }: KeywordInput): Check | undefined {
  const least = readCountKeyword(schema, "minProperties");
  const most = readCountKeyword(schema, "maxProperties");
  if (least === undefined && most === undefined) return undefined;
  return (value, run) => {
    if (!isObject(value)) return true;
    const count = namesOf(value, run).length;
    if (least !== undefined && count < least)
      return fail(run, "minProperties", `must have at least ${least} properties`);
    if (most !== undefined && count > most) return fail(run, "maxProperties", `must have at most ${most} properties`);
    return true;
  };
}

function readPropertyNames({ schema: { propertyNames }, sub }: KeywordInput): Check | undefined {
  if (propertyNames === undefined) return undefined;
  const check = sub(propertyNames);
  return (value, run) =>
    !isObject(value) || checkEach(namesOf(value, run), run, (name) => checkAt(name, check, { value: name, run }));
}

function readDependencies({ schema, sub }: KeywordInput): Check | undefined {
  const dependents = ["dependentRequired", "dependentSchemas", "dependencies"].flatMap((keyword) =>
    readMembers(schema[keyword], keyword).map(([name, asked]): readonly [string, Check] => {
      const isList = keyword === "dependentRequired" || (keyword === "dependencies" && Array.isArray(asked));
      return [name, isList ? requireAll(readTexts(asked, keyword), keyword) : sub(asked)];
    }),
  );
  if (dependents.length === 0) return undefined;
  return (value, run) => {
    if (!isObject(value)) return true;
    spend(run, dependents.length);
    return checkEach(dependents, run, ([name, check]) => !has(value, name) || check(value, run));
  };
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

function quoted(name: string): string {
  return JSON.stringify(name.length <= 100 ? name : `${name.slice(0, 100)}…`);
}
