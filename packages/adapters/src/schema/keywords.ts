import type { JsonObject } from "@hostside/core";
import { isJsonObject, isSchema, keywordShapes, toObject } from "@hostside/core/implement";

export { hasShape, isSchema, keywordShapes, mapSchemas, toObject } from "@hostside/core/implement";

/** A JSON Schema, or `true` or `false` as one. */
export type Schema = JsonObject | boolean;

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
  "examples",
  "deprecated",
  "readOnly",
  "writeOnly",
]);

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

/** The own member of an object, or `undefined`: `properties.constructor` is often not declared. */
export function memberOf(owner: unknown, name: string): unknown {
  return isJsonObject(owner) && Object.hasOwn(owner, name) ? owner[name] : undefined;
}

/** The types that a schema names; `undefined` where it names none. */
export function typesOf({ type }: JsonObject): readonly string[] | undefined {
  if (typeof type === "string") return [type];
  return Array.isArray(type) ? type.filter((one): one is string => typeof one === "string") : undefined;
}

/** The schemas of a list keyword, such as `anyOf`. */
export function schemasOf(schema: JsonObject, keyword: string): readonly Schema[] {
  const value = memberOf(schema, keyword);
  return Array.isArray(value) ? value.filter(isSchema) : [];
}

/** The names that a schema requires. */
export function requiredOf(schema: JsonObject): readonly string[] {
  const value = memberOf(schema, "required");
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];
}

/** The declared properties of a schema, by name. */
export function propertiesOf(schema: JsonObject): ReadonlyMap<string, Schema> {
  const value = memberOf(schema, "properties");
  if (!isJsonObject(value)) return new Map();
  return new Map(Object.entries(value).filter((entry): entry is [string, Schema] => isSchema(entry[1])));
}

/** Adds a paragraph to the description of a schema. */
export function describe(schema: JsonObject, text: string): JsonObject {
  const { description } = schema;
  const before = typeof description === "string" && description !== "" ? `${description}\n\n` : "";
  return withMembers(schema, { description: `${before}${text}` });
}

const longestInWords = 300;

/**
 * Takes keywords out of a schema. Their rules go into the description, cut to 300 UTF-16
 * units each, because the tool's server checks its arguments anyway.
 */
export function putInWords(schema: JsonObject, keywords: readonly string[]): JsonObject {
  const lost = keywords.filter((keyword) => schema[keyword] !== undefined && asksFor(keyword, schema[keyword]));
  const kept = without(schema, ...keywords);
  if (lost.length === 0) return kept;
  const words = lost.map((keyword) => {
    const text = JSON.stringify(toObject([[keyword, schema[keyword]]]));
    return text.length > longestInWords ? `${text.slice(0, longestInWords).toWellFormed()}…` : text;
  });
  return describe(kept, `Also: ${words.join(" ")}`);
}

/** Says whether a keyword with this value tells a reader anything about valid arguments. */
function asksFor(keyword: string, value: unknown): boolean {
  if (annotationKeywords.has(keyword) || !(keywordShapes.has(keyword) || keyword === "default")) return false;
  if (typeof value === "boolean") return keyword === "uniqueItems" && value;
  if (value === 0) return !/^min(?:Length|Items|Properties)$/.test(keyword);
  if (value === null) return keyword !== "default";
  if (keyword === "propertyNames") return JSON.stringify(value) !== '{"type":"string"}';
  return !isJsonObject(value) || Object.keys(value).length > 0;
}
