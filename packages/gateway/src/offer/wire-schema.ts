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
  const whole = { ...dialect, ...mended };
  if (hasAny(whole, slowKeywords) && hasAny(whole, reversing)) return undefined;
  const plain = withoutUnknown(whole);
  if (!isSound(plain, plain) || sizeOf(plain, { root: plain, known: new Map(), level: 0 }) > mostSchemas) {
    return undefined;
  }
  const { type } = plain;
  if (era === "modern") return plain;
  const takesObjects = type === undefined || type === "object" || (Array.isArray(type) && type.includes("object"));
  return takesObjects ? withObjectRoot(plain) : undefined;
}

const knownDialect = /^https?:\/\/json-schema\.org\/(?:draft-0[67]|draft\/2019-09|draft\/2020-12)\/schema#?$/;

// With these, a value of the server's own keeps a validator busy for minutes.
const slowKeywords: ReadonlySet<string> = new Set(["pattern", "uniqueItems", "format"]);
// Where they stand, a schema that allows more is one that allows less.
const reversing: ReadonlySet<string> = new Set(["not", "if", "oneOf", "maxContains"]);

function hasAny(schema: JsonObject, keywords: ReadonlySet<string>): boolean {
  return (
    Object.keys(schema).some((keyword) => keywords.has(keyword)) || innerOf(schema).some((one) => hasAny(one, keywords))
  );
}

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
 * A schema without slow keywords, and without those that only some validators know, and that some
 * of them refuse. Without them it allows the same or more.
 */
function withoutUnknown(schema: JsonObject): JsonObject {
  const { nullable, type } = schema;
  const types = Array.isArray(type) ? type : [type];
  const members = Object.entries(schema).flatMap(([keyword, value]): (readonly [string, unknown])[] => {
    if (slowKeywords.has(keyword)) return [];
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

// They depend on which schema is the base, on how a validator got there, or on slow patterns.
const unsound: ReadonlySet<string> = new Set([
  "$id",
  "$anchor",
  "$dynamicAnchor",
  "$dynamicRef",
  "$recursiveRef",
  "patternProperties",
]);

function isSound(schema: JsonObject, root: JsonObject): boolean {
  return Object.entries(schema).every(([keyword, value]) => {
    if (unsound.has(keyword) || !hasShape(keyword, value)) return false;
    if (keyword === "$ref") return isSchema(findTarget(value, root));
    const shape = keywordShapes.get(keyword);
    if (shape === "schema") return !isJsonObject(value) || isSound(value, root);
    if (shape === "schemas")
      return Array.isArray(value) && value.every((one) => !isJsonObject(one) || isSound(one, root));
    if (shape !== "schema-map" || !isJsonObject(value)) return true;
    return Object.values(value).every((one) => !isJsonObject(one) || isSound(one, root));
  });
}

// Validators compile what is referred to inside of what refers to it: one of 400 levels overflows.
const mostLevels = 150;
// As often as a validator may have to look, whatever the value is.
const mostSchemas = 10_000;

interface Walk {
  readonly root: JsonObject;
  readonly known: Map<JsonObject, number>;
  readonly level: number;
}

/** Counts schemas, with what each refers to in its place; endless for one that refers to itself. */
function sizeOf(schema: JsonObject, { root, known, level }: Walk): number {
  const size = known.get(schema);
  if (size !== undefined) return size;
  if (level > mostLevels) return Infinity;
  known.set(schema, Infinity);
  const inner = [...innerOf(schema), findTarget(schema["$ref"], root)].filter(isJsonObject);
  const whole = inner.reduce((sum, one) => sum + sizeOf(one, { root, known, level: level + 1 }), 1);
  known.set(schema, whole);
  return whole;
}

function innerOf(schema: JsonObject): readonly JsonObject[] {
  return Object.entries(schema).flatMap(([keyword, value]) => {
    const shape = keywordShapes.get(keyword);
    const inner = shape === "schema" ? [value] : [];
    if (shape === "schemas" && Array.isArray(value)) inner.push(...value);
    if (shape === "schema-map" && isJsonObject(value)) inner.push(...Object.values(value));
    return inner.filter(isJsonObject);
  });
}

/**
 * What a local `$ref` points to: a schema that stands where schemas stand, since nothing else was
 * looked through. `undefined` for any other reference, and for an escaped one, which validators
 * read differently.
 */
function findTarget(ref: unknown, root: JsonObject): unknown {
  if (typeof ref !== "string" || ref.includes("%") || (ref !== "#" && !ref.startsWith("#/"))) return undefined;
  let found: unknown = root;
  let shape: string | undefined = "schema";
  for (const part of ref.split("/").slice(1)) {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, name)) return undefined;
    if (shape === "schema") shape = keywordShapes.get(name);
    else if (shape === "schemas" || shape === "schema-map") shape = "schema";
    else return undefined;
    found = Reflect.get(found, name);
    if (shape === "schema" && Array.isArray(found)) shape = "schemas";
  }
  return shape === "schema" ? found : undefined;
}
