import type { JsonValue } from "./json.ts";

const deepest = 200;

/**
 * JSON with the members of every object in the order of their names and no space: equal values give
 * equal texts (in the manner of RFC 8785). A member that is `undefined` is absent. Throws
 * `TypeError` for a value that is nested more than 200 deep.
 */
export function canonicalJson(value: JsonValue): string {
  return write(value, 0);
}

function write(value: JsonValue, depth: number): string {
  if (depth > deepest) throw new TypeError(`nested more than ${deepest} deep`);
  if (Array.isArray(value)) {
    const items = value as readonly JsonValue[];
    return `[${items.map((item) => write(item, depth + 1)).join(",")}]`;
  }
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .filter((entry): entry is [string, JsonValue] => entry[1] !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${write(member, depth + 1)}`);
  return `{${members.join(",")}}`;
}
