import { isJsonObject, type JsonObject } from "./json.ts";

const typeNames: ReadonlySet<unknown> = new Set(["string", "number", "integer", "boolean", "null", "array", "object"]);

/** True for a JSON object or a boolean: whatever may stand where a schema is wanted. */
export function isSchema(value: unknown): value is JsonObject | boolean {
  return typeof value === "boolean" || isJsonObject(value);
}

const isText = (value: unknown): boolean => typeof value === "string";

// What a value must be for its keyword to count: readers pass over other values.
// By shape: the keywords whose value has it, separated by spaces, and the check of a value.
const rules: Readonly<Record<string, { readonly of: string; readonly holds: (value: unknown) => boolean }>> = {
  schema: {
    of: "additionalProperties unevaluatedProperties propertyNames items unevaluatedItems contains not if then else",
    holds: isSchema,
  },
  schemas: {
    of: "prefixItems allOf anyOf oneOf",
    holds: (value) => Array.isArray(value) && value.length > 0 && value.every(isSchema),
  },
  "schema-map": {
    of: "$defs definitions properties patternProperties dependentSchemas",
    holds: (value) => isJsonObject(value) && Object.values(value).every(isSchema),
  },
  types: {
    of: "type",
    holds: (value) => [value].flat().length > 0 && [value].flat().every((one) => typeNames.has(one)),
  },
  list: { of: "enum", holds: (value) => Array.isArray(value) && value.length > 0 },
  any: { of: "const", holds: () => true },
  texts: { of: "required", holds: (value) => Array.isArray(value) && value.every(isText) },
  text: {
    of: "$schema $id $ref $anchor $dynamicRef $dynamicAnchor $recursiveRef $comment title description pattern format",
    holds: isText,
  },
  map: { of: "dependentRequired", holds: isJsonObject },
  count: {
    of: "minProperties maxProperties minContains maxContains minItems maxItems minLength maxLength",
    holds: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
  },
  boolean: { of: "uniqueItems", holds: (value) => typeof value === "boolean" },
  number: { of: "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf", holds: Number.isFinite },
};

/**
 * The keywords of JSON Schema 2020-12 that are read here, and those of older drafts that mean
 * something. Others are annotations.
 */
export const keywordShapes: ReadonlyMap<string, string> = new Map(
  Object.entries(rules).flatMap(([shape, { of }]) => of.split(" ").map((keyword) => [keyword, shape])),
);

/** Whether the value of a keyword has the shape that the keyword asks for. */
export function hasShape(keyword: string, value: unknown): boolean {
  return rules[keywordShapes.get(keyword) ?? ""]?.holds(value) ?? true;
}

/**
 * An object of members, of which those that are `undefined` are left out. `__proto__` is a member
 * like any other.
 */
export function toObject(members: Iterable<readonly [string, unknown]>): JsonObject {
  return Object.fromEntries(Array.from(members).filter(([, value]) => value !== undefined)) as JsonObject;
}

/**
 * A schema with each value that stands where a schema stands replaced; itself where nothing
 * changes. `undefined` leaves it out.
 */
export function mapSchemas(schema: JsonObject, map: (value: unknown, keyword: string) => unknown): JsonObject {
  return mapMembers(schema, (keyword, value) => {
    const shape = keywordShapes.get(keyword);
    if (Array.isArray(value)) {
      if (shape !== "schema" && shape !== "schemas") return value;
      const mapped = value.map((one) => map(one, keyword));
      const isSame = mapped.every((one, index) => one === value[index]);
      return isSame ? value : mapped.filter((one) => one !== undefined);
    }
    if (shape === "schema") return map(value, keyword);
    return shape === "schema-map" && isJsonObject(value) ? mapMembers(value, (_, one) => map(one, keyword)) : value;
  });
}

function mapMembers(object: JsonObject, map: (name: string, value: unknown) => unknown): JsonObject {
  const members = Object.entries(object).map(([name, value]) => [name, map(name, value)] as const);
  return members.every(([name, value]) => value === object[name]) ? object : toObject(members);
}
