import { isJsonObject, type JsonObject } from "./json.ts";

/**
 * What a keyword's value must be, for it to be one: whoever reads a schema passes over what is not.
 */
type Shape =
  | "schema"
  | "schemas"
  | "schema-map"
  | "schema-or-schemas"
  | "map"
  | "list"
  | "texts"
  | "text"
  | "number"
  | "count"
  | "boolean"
  | "types"
  | "any";

/**
 * The keywords of JSON Schema 2020-12 that are read here, and those of older drafts that mean
 * something. Others are annotations.
 */
export const keywordShapes: ReadonlyMap<string, Shape> = new Map<string, Shape>([
  ["$schema", "text"],
  ["$id", "text"],
  ["$ref", "text"],
  ["$anchor", "text"],
  ["$dynamicRef", "text"],
  ["$dynamicAnchor", "text"],
  ["$recursiveRef", "text"],
  ["$comment", "text"],
  ["$defs", "schema-map"],
  ["definitions", "schema-map"],
  ["title", "text"],
  ["description", "text"],
  ["type", "types"],
  ["enum", "list"],
  ["const", "any"],
  ["properties", "schema-map"],
  ["patternProperties", "schema-map"],
  ["additionalProperties", "schema"],
  ["unevaluatedProperties", "schema"],
  ["propertyNames", "schema"],
  ["required", "texts"],
  ["dependentRequired", "map"],
  ["dependentSchemas", "schema-map"],
  ["minProperties", "count"],
  ["maxProperties", "count"],
  ["items", "schema"],
  ["prefixItems", "schemas"],
  ["unevaluatedItems", "schema"],
  ["contains", "schema"],
  ["minContains", "count"],
  ["maxContains", "count"],
  ["minItems", "count"],
  ["maxItems", "count"],
  ["uniqueItems", "boolean"],
  ["minLength", "count"],
  ["maxLength", "count"],
  ["pattern", "text"],
  ["format", "text"],
  ["minimum", "number"],
  ["maximum", "number"],
  ["exclusiveMinimum", "number"],
  ["exclusiveMaximum", "number"],
  ["multipleOf", "number"],
  ["allOf", "schemas"],
  ["anyOf", "schemas"],
  ["oneOf", "schemas"],
  ["not", "schema"],
  ["if", "schema"],
  ["then", "schema"],
  ["else", "schema"],
]);

const typeNames: ReadonlySet<unknown> = new Set(["string", "number", "integer", "boolean", "null", "array", "object"]);

/** Whether a value may be a schema. */
export function isSchema(value: unknown): value is JsonObject | boolean {
  return typeof value === "boolean" || isJsonObject(value);
}

/**
 * Whether the value of a keyword is what that keyword must have; `true` for a keyword that is not
 * known.
 */
export function hasShape(keyword: string, value: unknown): boolean {
  switch (keywordShapes.get(keyword)) {
    case "schema":
      return isSchema(value);
    case "schemas":
      return Array.isArray(value) && value.length > 0 && value.every(isSchema);
    case "schema-map":
      return isJsonObject(value) && Object.values(value).every(isSchema);
    case "map":
      return isJsonObject(value);
    case "list":
      return Array.isArray(value) && value.length > 0;
    case "texts":
      return Array.isArray(value) && value.every((one) => typeof one === "string");
    case "text":
      return typeof value === "string";
    case "number":
      return Number.isFinite(value);
    case "count":
      return Number.isSafeInteger(value) && Number(value) >= 0;
    case "boolean":
      return typeof value === "boolean";
    case "types":
      return Array.isArray(value) ? value.length > 0 && value.every((one) => typeNames.has(one)) : typeNames.has(value);
    default:
      return true;
  }
}

/**
 * A copy of a schema with each schema directly inside it replaced; a member for which `replace`
 * says `undefined` is left out.
 */
export function mapSubschemas(
  schema: JsonObject,
  replace: (sub: JsonObject | boolean, keyword: string) => JsonObject | boolean | undefined,
): JsonObject {
  const members = Object.entries(schema).map(([keyword, value]): [string, unknown] => {
    const shape = keywordShapes.get(keyword);
    if (shape === "schema" && isSchema(value)) return [keyword, replace(value, keyword)];
    if (shape === "schemas" && Array.isArray(value)) {
      return [keyword, value.map((one) => (isSchema(one) ? replace(one, keyword) : one)).filter(isPresent)];
    }
    if (shape === "schema-map" && isJsonObject(value)) {
      const entries = Object.entries(value).map(
        ([name, one]) => [name, isSchema(one) ? replace(one, keyword) : one] as const,
      );
      return [keyword, Object.fromEntries(entries.filter(([, one]) => isPresent(one)))];
    }
    return [keyword, value];
  });
  return toObject(members);
}

/**
 * An object of members, of which those that are `undefined` are left out. `__proto__` is a member
 * like any other.
 */
export function toObject(members: Iterable<readonly [string, unknown]>): JsonObject {
  return Object.fromEntries(Array.from(members).filter(([, value]) => isPresent(value))) as JsonObject;
}

function isPresent(value: unknown): boolean {
  return value !== undefined;
}
