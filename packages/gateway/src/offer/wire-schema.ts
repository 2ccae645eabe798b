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
  if (!isSound(plain, plain) || !isEnding(plain)) return undefined;
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

// Validators compile what is referred to inside of what refers to it: one of 400 levels overflows.
const mostLevels = 150;

/** Whether a validator comes to an end, when it compiles a schema and when it checks a value. */
function isEnding(root: JsonObject): boolean {
  const depths = new Map<JsonObject, number>();
  if (depthOf(root, { root, depths, level: 0 }) > mostLevels) return false;
  const open = new Map<JsonObject, boolean>();
  return Array.from(depths.keys()).every((schema) => !leadsBack(schema, root, open));
}

interface Walk {
  readonly root: JsonObject;
  readonly depths: Map<JsonObject, number>;
  readonly level: number;
}

function depthOf(schema: JsonObject, { root, depths, level }: Walk): number {
  const known = depths.get(schema);
  if (known !== undefined) return known;
  if (level > mostLevels) return Infinity;
  // A schema that is inside of itself is compiled once.
  depths.set(schema, 0);
  const inner = innerOf(schema, root, () => true).map((one) => depthOf(one, { root, depths, level: level + 1 }));
  const depth = 1 + inner.reduce((most, one) => Math.max(most, one), 0);
  depths.set(schema, depth);
  return depth;
}

// What these have checks the very value, not a part of it.
const inPlace: ReadonlySet<string> = new Set([
  "$ref",
  "allOf",
  "anyOf",
  "oneOf",
  "not",
  "if",
  "then",
  "else",
  "dependentSchemas",
]);

/** `open`: whether a schema is being looked at, or has been. */
function leadsBack(schema: JsonObject, root: JsonObject, open: Map<JsonObject, boolean>): boolean {
  const seen = open.get(schema);
  if (seen !== undefined) return seen;
  open.set(schema, true);
  const isBack = innerOf(schema, root, (keyword) => inPlace.has(keyword)).some((one) => leadsBack(one, root, open));
  if (!isBack) open.set(schema, false);
  return isBack;
}

function innerOf(schema: JsonObject, root: JsonObject, takes: (keyword: string) => boolean): readonly JsonObject[] {
  return Object.entries(schema).flatMap(([keyword, value]) => {
    if (!takes(keyword)) return [];
    const shape = keywordShapes.get(keyword);
    const inner = keyword === "$ref" ? [findTarget(value, root)] : shape === "schema" ? [value] : [];
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
