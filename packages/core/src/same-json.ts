import { isJsonObject, type JsonObject } from "./json.ts";

/**
 * Whether two JSON values mean the same; the order of an object's members does not matter, because
 * some servers write theirs in another order each time. A member that is `undefined` is absent.
 * Recursive: for values whose depth is bounded, as a listed schema's is.
 */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => sameJson(item, b[index]));
  }
  return isJsonObject(a) && isJsonObject(b) && sameMembers(a, b);
}

// Makes no lists but those of the names: it runs over every schema of every listing.
function sameMembers(a: JsonObject, b: JsonObject): boolean {
  let more = 0;
  for (const name of Object.keys(a)) {
    const member = a[name];
    // A member that is `undefined` is absent: JSON has no such value.
    if (member === undefined) continue;
    if (!Object.hasOwn(b, name) || !sameJson(member, b[name])) return false;
    more += 1;
  }
  for (const name of Object.keys(b)) if (b[name] !== undefined) more -= 1;
  return more === 0;
}
