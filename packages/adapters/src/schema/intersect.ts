import type { JsonObject } from "@hostside/core";
import { isJsonObject, sameJson } from "@hostside/core/implement";
import {
  annotationKeywords,
  isSchema,
  memberOf,
  propertiesOf,
  readTypes,
  requiredOf,
  toObject,
  typesOf,
  withMembers,
} from "./keywords.ts";

type Schema = JsonObject | boolean;

/**
 * Puts two values of one keyword together, so that both count; `undefined` when no value says that.
 */
type Combine = (a: unknown, b: unknown) => unknown;

const larger: Combine = (a, b) => Math.max(Number(a), Number(b));
const smaller: Combine = (a, b) => Math.min(Number(a), Number(b));

const combinations: ReadonlyMap<string, Combine> = new Map<string, Combine>([
  ["minimum", larger],
  ["exclusiveMinimum", larger],
  ["maximum", smaller],
  ["exclusiveMaximum", smaller],
  ["minLength", larger],
  ["maxLength", smaller],
  ["minItems", larger],
  ["maxItems", smaller],
  ["minProperties", larger],
  ["maxProperties", smaller],
  ["uniqueItems", (a, b) => a === true || b === true],
  ["multipleOf", (a, b) => (isMultiple(a, b) ? a : isMultiple(b, a) ? b : undefined)],
  ["required", (a, b) => Array.from(new Set([...listOf(a), ...listOf(b)]))],
  ["enum", combineValues],
  ["type", combineTypes],
  ["items", combineSchemas],
  ["propertyNames", combineSchemas],
]);

// Their meaning depends on what stands beside them.
const contextual = [
  "properties",
  "patternProperties",
  "additionalProperties",
  "prefixItems",
  "items",
  "if",
  "then",
  "else",
  "contains",
  "minContains",
  "maxContains",
];
const objectKeywords = ["properties", "patternProperties", "additionalProperties"];

/**
 * One schema that takes exactly what both take, or `undefined` where there is none that is as
 * simple. What describes the first goes before what describes the second.
 */
export function intersect(a: Schema, b: Schema): Schema | undefined {
  if (a === true || b === false) return b;
  if (b === true || a === false) return a;
  if (sameJson(a, b)) return a;
  return intersectObjects(a, b);
}

function intersectObjects(a: JsonObject, b: JsonObject): JsonObject | undefined {
  const members = intersectMembers(a, b);
  if (members === undefined) return undefined;
  const made = new Map<string, unknown>(members);
  for (const [keyword, value] of [...Object.entries(a), ...Object.entries(b)]) {
    if (value === undefined || objectKeywords.includes(keyword)) continue;
    const other = made.get(keyword);
    if (other === undefined) made.set(keyword, value);
    else if (!annotationKeywords.has(keyword) && !sameJson(other, value)) {
      const both = combinations.get(keyword)?.(other, value);
      if (both === undefined) return undefined;
      made.set(keyword, both);
    }
  }
  return dependsOnSplit(a, b) ? undefined : toObject(made);
}

// `items` of one says nothing of what `prefixItems` of the other is about, and so on.
function dependsOnSplit(a: JsonObject, b: JsonObject): boolean {
  const has = (schema: JsonObject, keywords: readonly string[]): boolean =>
    keywords.some((one) => schema[one] !== undefined);
  const tuple = ["prefixItems"];
  const items = ["items", "prefixItems"];
  if ((has(a, tuple) && has(b, items)) || (has(b, tuple) && has(a, items))) return true;
  const condition = ["if", "then", "else"];
  const contains = ["contains", "minContains", "maxContains"];
  return (has(a, condition) && has(b, condition)) || (has(a, contains) && has(b, contains));
}

/**
 * The keywords about members of objects, put together; `undefined` where what one closes the other
 * declares.
 */
function intersectMembers(a: JsonObject, b: JsonObject): ReadonlyMap<string, unknown> | undefined {
  const speaks = (schema: JsonObject): boolean => objectKeywords.some((keyword) => schema[keyword] !== undefined);
  if (!speaks(a) || !speaks(b)) {
    const one = speaks(a) ? a : b;
    return new Map(
      objectKeywords.map((keyword) => [keyword, one[keyword]] as const).filter(([, value]) => value !== undefined),
    );
  }
  if (a["patternProperties"] !== undefined || b["patternProperties"] !== undefined) return undefined;
  const [ofA, ofB] = [propertiesOf(a), propertiesOf(b)];
  const [restA, restB] = [restOf(a), restOf(b)];
  if (restA === undefined || restB === undefined) return undefined;
  const properties: [string, unknown][] = [];
  for (const name of new Set([...ofA.keys(), ...ofB.keys()])) {
    const both = intersect(ofA.get(name) ?? restA, ofB.get(name) ?? restB);
    if (both === undefined) return undefined;
    // A member that one of them does not take, where what is left is closed, need not be declared.
    if (both === false && !(restA && restB)) continue;
    properties.push([name, both]);
  }
  const rest = restA && restB ? undefined : false;
  return new Map<string, unknown>([
    ["properties", toObject(properties)],
    ...(rest === undefined ? [] : ([["additionalProperties", rest]] as const)),
  ]);
}

// Whether other members are taken; `undefined` for those that are taken by a schema.
function restOf(schema: JsonObject): boolean | undefined {
  const rest = schema["additionalProperties"] ?? true;
  return typeof rest === "boolean" ? rest : undefined;
}

function combineTypes(a: unknown, b: unknown): unknown {
  const [ofA, ofB] = [readTypes(a) ?? [], readTypes(b) ?? []];
  const has = (types: readonly string[], type: string): boolean =>
    types.includes(type) || (type === "integer" && types.includes("number"));
  const both = Array.from(new Set([...ofA.filter((one) => has(ofB, one)), ...ofB.filter((one) => has(ofA, one))]));
  return both.length === 1 ? both[0] : nonEmpty(both);
}

// To compare each with each is quadratic.
function combineValues(a: unknown, b: unknown): unknown {
  const [ofA, ofB] = [listOf(a), listOf(b)];
  if (ofA.length * ofB.length > 10_000) return undefined;
  return nonEmpty(ofA.filter((one) => ofB.some((other) => sameJson(one, other))));
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function combineSchemas(a: unknown, b: unknown): unknown {
  return isSchema(a) && isSchema(b) ? intersect(a, b) : undefined;
}

function isMultiple(a: unknown, b: unknown): boolean {
  return Number.isSafeInteger(a) && Number.isSafeInteger(b) && Number(b) !== 0 && Number(a) % Number(b) === 0;
}

function nonEmpty(list: readonly unknown[]): readonly unknown[] | undefined {
  return list.length === 0 ? undefined : list;
}

/**
 * One schema that takes at least what both take: what cannot be put together counts by the first of
 * them alone.
 */
export function intersectLoosely(a: JsonObject, b: JsonObject): JsonObject {
  const properties = new Map(propertiesOf(a));
  for (const [name, schema] of propertiesOf(b)) {
    const known = properties.get(name);
    properties.set(name, known === undefined ? schema : (intersect(known, schema) ?? known));
  }
  const required = new Set([...requiredOf(a), ...requiredOf(b)]);
  let made: JsonObject = toObject(
    Object.entries(a).filter(([keyword]) => !contextual.includes(keyword) || keyword === "items"),
  );
  if (a["prefixItems"] !== undefined) made = withMembers(made, { items: undefined });
  for (const [keyword, value] of Object.entries(b)) {
    if (contextual.includes(keyword) || keyword === "required") continue;
    const known = memberOf(made, keyword);
    const both = known === undefined ? value : (combinations.get(keyword)?.(known, value) ?? known);
    made = withMembers(made, { [keyword]: both });
  }
  return withMembers(made, {
    properties: properties.size === 0 ? undefined : toObject(properties),
    required: required.size === 0 ? undefined : Array.from(required),
  });
}

/** Whether no value is taken by both: other types, or a required property with other values. */
export function areApart(a: Schema, b: Schema): boolean {
  if (a === false || b === false) return true;
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  const [valuesA, valuesB] = [valuesOf(a), valuesOf(b)];
  if (valuesA !== undefined && valuesB !== undefined && valuesA.length * valuesB.length <= 10_000) {
    return !valuesA.some((one) => valuesB.some((other) => sameJson(one, other)));
  }
  if (typesOf(a) !== undefined && typesOf(b) !== undefined && combineTypes(a["type"], b["type"]) === undefined)
    return true;
  if (typesOf(a)?.join() !== "object" || typesOf(b)?.join() !== "object") return false;
  const required = requiredOf(b);
  const ofB = propertiesOf(b);
  return requiredOf(a).some((name) => {
    const [inA, inB] = [propertiesOf(a).get(name), ofB.get(name)];
    return required.includes(name) && inA !== undefined && inB !== undefined && areApart(inA, inB);
  });
}

function valuesOf(schema: JsonObject): readonly unknown[] | undefined {
  if ("const" in schema) return [schema["const"]];
  return Array.isArray(schema["enum"]) ? schema["enum"] : undefined;
}
