import type { JsonObject } from "@hostside/core";
import { isJsonObject, isSchema, keywordShapes, toObject } from "@hostside/core/implement";

export { hasShape, isSchema, keywordShapes, mapSubschemas, toObject } from "@hostside/core/implement";

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
