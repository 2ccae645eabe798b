import type { ServerLimits } from "@toolport/core";

/**
 * Why a schema is too much to handle, or `undefined` when it is not: nested deeper than `maxSchemaDepth`, or longer than
 * `maxSchemaLength` when serialised. Walks with a stack of its own, because a schema can be nested deep enough to exhaust the
 * runtime's, and stops at the first limit that is passed.
 */
export function findSchemaExcess(schema: object, limits: SchemaLimits): string | undefined {
  const measured = measureSchema(schema, limits);
  return typeof measured === "string" ? measured : undefined;
}

/** What a schema is measured by. */
export type SchemaLimits = Pick<ServerLimits, "maxSchemaDepth" | "maxSchemaLength">;

/** About how many UTF-16 units a schema has when serialised, or why it is too much to handle, as {@linkcode findSchemaExcess}. */
export function measureSchema(schema: object, { maxSchemaDepth, maxSchemaLength }: SchemaLimits): number | string {
  const tooLong = `its schema is longer than ${maxSchemaLength} characters`;
  // Without what escaping adds to strings, so never more than the serialised length.
  let length = 0;
  let level: object[] = [schema];
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > maxSchemaDepth) return `its schema is nested deeper than ${maxSchemaDepth} levels`;
    const next: object[] = [];
    for (const node of level) {
      length += measureMembers(node, next);
      if (length > maxSchemaLength) return tooLong;
    }
    level = next;
  }
  // Escaping turns one unit into six at most (`\u0000`); only a schema in between has to be serialised to know.
  const longestPossible = length * 6;
  return longestPossible > maxSchemaLength && JSON.stringify(schema).length > maxSchemaLength ? tooLong : length;
}

// The length of a node's own brackets, keys and plain values; its objects and arrays go to `nested`.
function measureMembers(node: object, nested: object[]): number {
  let length = 2;
  if (Array.isArray(node)) {
    for (const item of node) length += measureValue(item, nested) + 1;
    return node.length === 0 ? length : length - 1;
  }
  // Object.entries would make an array per member; a listing can have a million of them.
  const keys = Object.keys(node);
  for (const key of keys) length += key.length + 4 + measureValue(Reflect.get(node, key), nested);
  return keys.length === 0 ? length : length - 1;
}

function measureValue(value: unknown, nested: object[]): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value === "object" && value !== null) {
    nested.push(value);
    return 0;
  }
  return String(value).length;
}
