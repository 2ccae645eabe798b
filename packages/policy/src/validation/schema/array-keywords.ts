import type { JsonValue } from "@hostside/core";
import { canonicalJson } from "@hostside/core/implement";
import { readCountKeyword, readRest, type KeywordInput, type KeywordReader } from "./keyword.ts";
import { checkAt, fail, spend, tryCheck, wantsMore, type Check, type ValidationRun } from "./run.ts";

/** What only lists are asked for. */
export const readArrays: readonly KeywordReader[] = [readItemCounts, readUniqueItems, readItems, readContains];

/** A value as a list. */
export function isList(value: unknown): value is readonly unknown[] {
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
  return (value, run, seen) => {
    if (!isList(value)) return true;
    const length = restCheck === undefined ? Math.min(value.length, firstChecks.length) : value.length;
    if (seen !== undefined)
      seen.items = Math.max(seen.items, restCheck === undefined ? length : Number.POSITIVE_INFINITY);
    let isValid = true;
    for (let index = 0; index < length; index += 1) {
      const check = firstChecks[index] ?? restCheck;
      if (check === undefined || checkAt(index, check, { value: value[index], run })) continue;
      if (!wantsMore(run)) return false;
      isValid = false;
    }
    return isValid;
  };
}

function readContains({ schema, resource, sub }: KeywordInput): Check | undefined {
  if (schema["contains"] === undefined) return undefined;
  const check = sub(schema["contains"]);
  const isOld = resource.dialect.refStandsAlone;
  const least = (isOld ? undefined : readCountKeyword(schema, "minContains")) ?? 1;
  const most = (isOld ? undefined : readCountKeyword(schema, "maxContains")) ?? Number.POSITIVE_INFINITY;
  const counts = resource.dialect.containsCounts;
  return (value, run, seen) => {
    if (!isList(value)) return true;
    let found = 0;
    for (const [index, item] of value.entries()) {
      if (!tryCheck(check, item, { run })) continue;
      found += 1;
      if (counts) seen?.someItems.add(index);
    }
    if (found < least)
      return fail(run, "contains", `must have at least ${least} items that fit what it has to contain`);
    if (found > most)
      return fail(run, "maxContains", `must have at most ${most} items that fit what it has to contain`);
    return true;
  };
}
