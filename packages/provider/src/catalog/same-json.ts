import { isJsonObject } from "@toolport/core";

/**
 * Whether two JSON values mean the same; the order of an object's members does not matter, because some servers write theirs in
 * another order each time. Recursion is bounded by the depth limit that every listed schema has passed.
 */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => sameJson(item, b[index]));
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  const keys = presentKeys(a);
  return (
    keys.length === presentKeys(b).length && keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key], b[key]))
  );
}

// A member that is `undefined` is absent: JSON has no such value.
function presentKeys(value: object): readonly string[] {
  return Object.entries(value).flatMap(([key, member]) => (member === undefined ? [] : [key]));
}
