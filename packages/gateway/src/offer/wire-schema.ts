import type { JsonObject, ProtocolEra } from "@hostside/core";
import { hasShape, isJsonObject, isSchema, keywordShapes, readTexts, toObject } from "@hostside/core/implement";

// Their values are data, in which null is a value.
const dataKeywords: ReadonlySet<string> = new Set(["const", "default", "enum", "examples"]);
// These are read by everybody as what allows other members or not.
const openKeywords: ReadonlySet<string> = new Set(["additionalProperties", "unevaluatedProperties"]);

/**
 * An input schema that clients accept in a list of tools: it says `type: "object"`, `null` is as
 * absent, and a schema is an object. The very object where nothing has to change. Throws a
 * `RangeError` for a schema that is nested too deep.
 */
export function toWireInputSchema(schema: JsonObject): JsonObject {
  return withObjectRoot(withoutNulls(schema));
}

/**
 * The same for an output schema, which official clients compile when they list: `undefined` for one
 * that they could not, and, before 2026-07-28, for one of anything but objects.
 */
export function toWireOutputSchema(schema: JsonObject, era: ProtocolEra): JsonObject | undefined {
  const { $id: _id, $schema, ...mended } = withoutNulls(schema);
  const dialect = typeof $schema === "string" && knownDialect.test($schema) ? { $schema } : {};
  const plain = withoutUnknown({ ...dialect, ...mended });
  if (!isSound(plain, plain)) return undefined;
  const { type } = plain;
  if (era === "modern") return plain;
  const takesObjects = type === undefined || type === "object" || (Array.isArray(type) && type.includes("object"));
  return takesObjects ? withObjectRoot(plain) : undefined;
}

const knownDialect = /^https?:\/\/json-schema\.org\/(?:draft-0[67]|draft\/2019-09|draft\/2020-12)\/schema#?$/;

function withObjectRoot(schema: JsonObject): JsonObject {
  const { type, properties, required } = schema;
  const isFit = type === "object" && (properties === undefined || isJsonObject(properties));
  if (isFit && (required === undefined || readTexts(required) === required)) return schema;
  const members = { type: "object", properties: isJsonObject(properties) ? properties : undefined };
  return toObject(Object.entries({ ...schema, ...members, required: readTexts(required) }));
}

function withoutNulls(schema: JsonObject): JsonObject {
  return mapMembers(schema, (keyword, value) => {
    if (value === null) return dataKeywords.has(keyword) ? null : undefined;
    if (keyword === "$schema" && typeof value !== "string") return undefined;
    switch (keywordShapes.get(keyword)) {
      case "schema":
        return Array.isArray(value) ? mapList(value, keyword) : toSchema(value, keyword);
      case "schemas":
        return Array.isArray(value) ? mapList(value, keyword) : value;
      case "schema-map":
        return isJsonObject(value) ? mapMembers(value, (_name, one) => toSchema(one, keyword)) : value;
      default:
        return value;
    }
  });
}

function mapList(values: readonly unknown[], keyword: string): readonly unknown[] {
  const mapped = values.map((one) => toSchema(one, keyword));
  return mapped.every((one, index) => one === values[index]) ? values : mapped;
}

function toSchema(value: unknown, keyword: string): unknown {
  if (isJsonObject(value)) return withoutNulls(value);
  if (typeof value === "boolean" && openKeywords.has(keyword)) return value;
  return value === false ? { not: {} } : {};
}

function mapMembers(object: JsonObject, map: (name: string, value: unknown) => unknown): JsonObject {
  const members = Object.entries(object).map(([name, value]) => [name, map(name, value)] as const);
  return members.every(([name, value]) => value === object[name]) ? object : toObject(members);
}

/**
 * A schema without keywords that only some validators know, and that some of them refuse. Without
 * them it allows the same or more.
 */
function withoutUnknown(schema: JsonObject): JsonObject {
  const { nullable, type } = schema;
  const types = Array.isArray(type) ? type : [type];
  const members = Object.entries(schema).flatMap(([keyword, value]): (readonly [string, unknown])[] => {
    if (keyword === "type" && nullable === true) return [[keyword, Array.from(new Set([...types, "null"]))]];
    const shape = keywordShapes.get(keyword);
    if (shape === undefined) return dataKeywords.has(keyword) ? [[keyword, value]] : [];
    if (shape === "map") return [];
    if (shape === "schema" && isJsonObject(value)) return [[keyword, withoutUnknown(value)]];
    if (shape === "schemas" && Array.isArray(value)) return [[keyword, value.map(insideOf)]];
    if (shape === "schema-map" && isJsonObject(value)) {
      return [[keyword, toObject(Object.entries(value).map(([name, one]) => [name, insideOf(one)]))]];
    }
    return [[keyword, value]];
  });
  return toObject(members);
}

function insideOf(value: unknown): unknown {
  return isJsonObject(value) ? withoutUnknown(value) : value;
}

// They depend on which schema is the base, or on how a validator got there.
const unsound: ReadonlySet<string> = new Set(["$id", "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveRef"]);

function isSound(schema: JsonObject, root: JsonObject): boolean {
  return Object.entries(schema).every(([keyword, value]) => {
    if (unsound.has(keyword) || !hasShape(keyword, value)) return false;
    if (keyword === "pattern") return isPattern(value);
    if (keyword === "$ref") return isSchema(findTarget(value, root));
    const shape = keywordShapes.get(keyword);
    if (shape === "schema") return !isJsonObject(value) || isSound(value, root);
    if (shape === "schemas")
      return Array.isArray(value) && value.every((one) => !isJsonObject(one) || isSound(one, root));
    if (shape !== "schema-map" || !isJsonObject(value)) return true;
    if (keyword === "patternProperties" && !Object.keys(value).every(isPattern)) return false;
    return Object.values(value).every((one) => !isJsonObject(one) || isSound(one, root));
  });
}

function isPattern(pattern: unknown): boolean {
  try {
    return typeof pattern === "string" && new RegExp(pattern, "u").source !== "";
  } catch {
    return false;
  }
}

/** What a local `$ref` points to; `undefined` for nothing, and for any other reference. */
function findTarget(ref: unknown, root: JsonObject): unknown {
  if (typeof ref !== "string" || (ref !== "#" && !ref.startsWith("#/"))) return undefined;
  let found: unknown = root;
  for (const part of ref.split("/").slice(1)) {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, name)) return undefined;
    found = Reflect.get(found, name);
  }
  return found;
}
