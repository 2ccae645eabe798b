import type { JsonValue } from "@hostside/core";
import { canonicalJson } from "@hostside/core/implement";
import {
  checkAt,
  checkEach,
  fail,
  readCountKeyword,
  readRest,
  spend,
  tryCheck,
  type Check,
  type KeywordInput,
  type KeywordReader,
  type ValidationRun,
} from "./run.ts";

/** Keywords about lists. */
export const readArrays: readonly KeywordReader[] = [readItemCounts, readUniqueItems, readItems, readContains];

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

function readItemCounts({ schema }: KeywordInput): Check | undefined {
  const least = readCountKeyword(schema, "minItems");
  const most = readCountKeyword(schema, "maxItems");
  if (least === undefined && most === undefined) return undefined;
  return (value, run) => {
    if (!isList(value)) return true;
    if (least !== undefined && value.length < least) return fail(run, "minItems", `must have at least ${least} items`);
    if (most !== undefined && value.length > most) return fail(run, "maxItems", `must have at most ${most} items`);
    return true;
  };
}

// Not each with each other: that takes seconds for a list of 20,000.
function readUniqueItems({ schema: { uniqueItems } }: KeywordInput): Check | undefined {
  if (uniqueItems === undefined || uniqueItems === false) return undefined;
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

function readItems({ schema, sub }: KeywordInput): Check | undefined {
  const { prefixItems, items, additionalItems } = schema;
  // A list in `items` is what older dialects have for `prefixItems`.
  const isOldTuple = Array.isArray(items);
  const first = isOldTuple ? items : prefixItems;
  const rest = isOldTuple ? additionalItems : items;
  if (first === undefined && rest === undefined) return undefined;
  if (first !== undefined && !Array.isArray(first)) throw new TypeError("its prefixItems is no list");
  const firstChecks = ((first ?? []) as readonly unknown[]).map(sub);
  const restCheck = readRest(rest, isOldTuple ? "additionalItems" : "items", sub);
  return (value, run) =>
    !isList(value) ||
    checkEach(
      (restCheck === undefined ? value.slice(0, firstChecks.length) : value).entries(),
      run,
      ([index, item]) => {
        const check = firstChecks[index] ?? restCheck;
        return check === undefined || checkAt(index, check, { value: item, run });
      },
    );
}

function readContains({ schema, isOld, sub }: KeywordInput): Check | undefined {
  if (schema["contains"] === undefined) return undefined;
  const check = sub(schema["contains"]);
  const least = (isOld ? undefined : readCountKeyword(schema, "minContains")) ?? 1;
  const most = (isOld ? undefined : readCountKeyword(schema, "maxContains")) ?? Number.POSITIVE_INFINITY;
  return (value, run) => {
    if (!isList(value)) return true;
    const found = value.filter((item) => tryCheck(check, item, run)).length;
    if (found < least)
      return fail(run, "contains", `must have at least ${least} items that fit what it has to contain`);
    if (found > most)
      return fail(run, "maxContains", `must have at most ${most} items that fit what it has to contain`);
    return true;
  };
}
