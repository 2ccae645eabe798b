import type { JsonObject } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";

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

/** Keywords that say nothing of what is valid, by the specification. */
export const annotationKeywords: ReadonlySet<string> = new Set([
  "$comment",
  "$schema",
  "$id",
  "$anchor",
  "$dynamicAnchor",
  "$defs",
  "definitions",
  "title",
  "description",
  "default",
  "examples",
  "deprecated",
  "readOnly",
  "writeOnly",
  "contentEncoding",
  "contentMediaType",
  "contentSchema",
]);

/** Whether a keyword says something of what is valid. One that nobody knows does not. */
export function isConstraint(keyword: string): boolean {
  return keywordShapes.has(keyword) && !annotationKeywords.has(keyword);
}

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
      return typeof value === "number";
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

/** A schema inside another: what it is, and by which keyword it is there. */
export interface Subschema {
  readonly keyword: string;
  readonly schema: unknown;
}

/**
 * The schemas directly inside one, by keyword: never what stands in an `enum`, a `default` or a
 * property that is called as a keyword is.
 */
export function subschemasOf(schema: JsonObject): readonly Subschema[] {
  const found: Subschema[] = [];
  for (const [keyword, value] of Object.entries(schema)) {
    const shape = keywordShapes.get(keyword);
    if (shape === "schema") found.push({ keyword, schema: value });
    else if (shape === "schemas" && Array.isArray(value)) for (const one of value) found.push({ keyword, schema: one });
    else if (shape === "schema-map" && isJsonObject(value)) {
      for (const one of Object.values(value)) found.push({ keyword, schema: one });
    }
  }
  return found;
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

/** A copy of an object without some of its members. */
export function without(schema: JsonObject, ...keywords: readonly string[]): JsonObject {
  return toObject(Object.entries(schema).filter(([keyword]) => !keywords.includes(keyword)));
}

/** A copy of an object with members put over its own; `undefined` takes one away. */
export function withMembers(schema: JsonObject, members: Readonly<Record<string, unknown>>): JsonObject {
  return toObject([
    ...Object.entries(schema).filter(([keyword]) => !Object.hasOwn(members, keyword)),
    ...Object.entries(members),
  ]);
}

/**
 * The own member of an object, or `undefined`: `properties.constructor` is none where nobody
 * declared it.
 */
export function memberOf(owner: unknown, name: string): unknown {
  return isJsonObject(owner) && Object.hasOwn(owner, name) ? owner[name] : undefined;
}

/** The types that a schema names; `undefined` where it names none. */
export function typesOf(schema: JsonObject): readonly string[] | undefined {
  return readTypes(schema["type"]);
}

/** The types that a value of the keyword `type` names; `undefined` where it names none. */
export function readTypes(type: unknown): readonly string[] | undefined {
  if (typeof type === "string") return [type];
  return Array.isArray(type) ? type.filter((one): one is string => typeof one === "string") : undefined;
}

/** The schemas of a list keyword, such as `anyOf`; none where there is no list. */
export function schemasOf(schema: JsonObject, keyword: string): readonly (JsonObject | boolean)[] {
  const value = memberOf(schema, keyword);
  return Array.isArray(value) ? value.filter(isSchema) : [];
}

/** The names that a schema wants to be there. */
export function requiredOf(schema: JsonObject): readonly string[] {
  const value = memberOf(schema, "required");
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];
}

/** The declared properties of a schema, by name. */
export function propertiesOf(schema: JsonObject): ReadonlyMap<string, JsonObject | boolean> {
  const value = memberOf(schema, "properties");
  if (!isJsonObject(value)) return new Map();
  return new Map(Object.entries(value).filter((entry): entry is [string, JsonObject | boolean] => isSchema(entry[1])));
}

function isPresent(value: unknown): boolean {
  return value !== undefined;
}
