import type { ServerLimits } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";

/** What a schema is measured by. */
export type SchemaLimits = Pick<ServerLimits, "maxSchemaDepth" | "maxSchemaLength">;

/**
 * About how many UTF-16 units a schema has when serialised, or why it is too much to handle: nested
 * deeper than `maxSchemaDepth` or longer than `maxSchemaLength`. It stops at the first limit that
 * is passed. Puts it, and every object and array in it, into `nodes`: whoever wants to see them all
 * needs no walk of their own.
 */
export function measureSchema(
  schema: object,
  { maxSchemaDepth, maxSchemaLength }: SchemaLimits,
  nodes: object[] = [],
): number | string {
  // Without what escaping adds to strings, so never more than the serialised length.
  let length = 0;
  nodes.push(schema);
  // Level by level.
  for (let depth = 1, at = 0; at < nodes.length; depth += 1) {
    if (depth > maxSchemaDepth) return `its schema is nested deeper than ${maxSchemaDepth} levels`;
    for (const end = nodes.length; at < end; at += 1) {
      length += measureMembers(nodes[at], nodes);
      if (length > maxSchemaLength) return tooLong(maxSchemaLength);
    }
  }
  // Escaping turns one unit into six at most (`\u0000`); only a schema in between has to be
  // serialised to know.
  const longestPossible = length * 6;
  const isTooLong = longestPossible > maxSchemaLength && JSON.stringify(schema).length > maxSchemaLength;
  return isTooLong ? tooLong(maxSchemaLength) : length;
}

function tooLong(maxSchemaLength: number): string {
  return `its schema is longer than ${maxSchemaLength} characters`;
}

// The length of a node's own brackets, keys and plain values; its objects and arrays go to `nodes`.
// Written out, and without lists: it runs over all schemas of a listing, which are read before the
// engine has compiled any of this.
function measureMembers(node: unknown, nodes: object[]): number {
  let length = 1;
  if (Array.isArray(node)) {
    const items: readonly unknown[] = node;
    for (const item of items) {
      if (typeof item === "string") length += item.length + 3;
      else if (typeof item !== "object" || item === null) length += String(item).length + 1;
      else {
        nodes.push(item);
        length += 1;
      }
    }
  } else if (isJsonObject(node)) {
    for (const key in node) {
      const value = node[key];
      length += key.length + 4;
      if (typeof value === "string") length += value.length + 2;
      else if (typeof value !== "object" || value === null) length += String(value).length;
      else nodes.push(value);
    }
  }
  // Each member comes with a comma, or the last bracket.
  return length === 1 ? 2 : length;
}
