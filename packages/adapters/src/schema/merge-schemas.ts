import { isJsonObject, sameJson } from "@hostside/core/implement";
import { annotationKeywords, isSchema, propertiesOf, toObject, type Schema } from "./keywords.ts";

type Combine = (a: unknown, b: unknown) => unknown;

const larger: Combine = (a, b) => Math.max(Number(a), Number(b));
const smaller: Combine = (a, b) => Math.min(Number(a), Number(b));
const schemas: Combine = (a, b) => (isSchema(a) && isSchema(b) ? mergeSchemas(a, b) : a);
const lists: Combine = (a, b) => Array.from(new Set([...listOf(a), ...listOf(b)]));
const common: Combine = (a, b) => {
  const [ofA, ofB] = [listOf(a), listOf(b)];
  // Comparing each with each is quadratic.
  if (ofA.length * ofB.length > 10_000) return a;
  const both = ofA.filter((one) => ofB.some((other) => sameJson(one, other)));
  return both.length === 0 ? a : both;
};

const combinations: ReadonlyMap<string, Combine> = new Map<string, Combine>([
  ["minimum", larger],
  ["exclusiveMinimum", larger],
  ["minLength", larger],
  ["minItems", larger],
  ["maximum", smaller],
  ["exclusiveMaximum", smaller],
  ["maxLength", smaller],
  ["maxItems", smaller],
  ["required", lists],
  ["allOf", lists],
  ["enum", common],
  ["items", schemas],
  ["properties", mergeMaps],
  ["$defs", mergeMaps],
  ["definitions", mergeMaps],
  [
    "type",
    (a, b) => {
      const both = common([a].flat(), [b].flat()) as readonly unknown[];
      return both.length === 1 ? both[0] : both;
    },
  ],
]);

/**
 * One schema that takes at least what both take. The keyword of `a` counts alone if two cannot be
 * put together.
 */
export function mergeSchemas(a: Schema, b: Schema): Schema {
  if (typeof a === "boolean") return a && b;
  if (typeof b === "boolean") return b && a;
  const made = new Map<string, unknown>(Object.entries(a));
  for (const [keyword, value] of Object.entries(b)) {
    const known = made.get(keyword);
    if (known === undefined) made.set(keyword, value);
    else if (!annotationKeywords.has(keyword) || isJsonObject(known))
      made.set(keyword, combinations.get(keyword)?.(known, value) ?? known);
  }
  // A schema that is closed to the properties of the other one would leave no value.
  const isOpen = !sameJson(a["additionalProperties"] ?? true, b["additionalProperties"] ?? true);
  if (isOpen && propertiesOf(a).size > 0 && propertiesOf(b).size > 0) made.delete("additionalProperties");
  return toObject(made);
}

function mergeMaps(a: unknown, b: unknown): unknown {
  if (!isJsonObject(a) || !isJsonObject(b)) return a;
  const members = new Map<string, unknown>(Object.entries(a));
  for (const [name, value] of Object.entries(b)) {
    members.set(name, members.has(name) ? schemas(members.get(name), value) : value);
  }
  return toObject(members);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
