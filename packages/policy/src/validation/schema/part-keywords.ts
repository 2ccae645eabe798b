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
