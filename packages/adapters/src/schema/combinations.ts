import type { JsonObject } from "@hostside/core";
import { canonicalJson, isJsonObject } from "@hostside/core/implement";
import { note, takes, type Adaptation } from "./adaptation.ts";
import {
  describe,
  propertiesOf,
  putInWords,
  requiredOf,
  schemasOf,
  toObject,
  typesOf,
  without,
  withMembers,
  type Schema,
} from "./keywords.ts";
import { mergeSchemas } from "./merge-schemas.ts";
import { expandRef } from "./references.ts";

/** The position of a schema. */
export interface Position {
  readonly isRoot: boolean;
  /** Levels, from 1 for the root. */
  readonly depth: number;
  /** The references inside which it stands. */
  readonly open: readonly string[];
}

/** A schema at its position. */
export interface Placed {
  readonly node: JsonObject;
  readonly at: Position;
}

/** A schema whose `allOf`, `oneOf` and `anyOf` are taken by the API. */
export function fitCombinations({ node: given, at: before }: Placed, work: Adaptation): Placed {
  let { node, at } = { node: given, at: before };
  const isTaken = (keyword: string): boolean => node[keyword] === undefined || takes(work, keyword, at.isRoot);
  if (!isTaken("allOf")) ({ node, at } = mergeAllOf({ node, at }, work));
  if (!isTaken("oneOf")) {
    if (node["anyOf"] === undefined) {
      note(work, "oneOf written as anyOf");
      node = withMembers(without(node, "oneOf"), { anyOf: schemasOf(node, "oneOf") });
    } else {
      note(work, "oneOf beside anyOf left out");
      node = putInWords(node, ["oneOf"]);
    }
  }
  const isAlone = work.profile.isTyped !== true || Object.keys(node).length === 1;
  if (!isTaken("anyOf")) node = foldUnion({ node, at }, work);
  else if (node["anyOf"] !== undefined && !isAlone) node = moveIntoParts({ node, at }, work);
  return { node, at };
}

const mostParts = 64;

function mergeAllOf({ node, at }: Placed, work: Adaptation): Placed {
  note(work, "allOf put together");
  let made: Schema = without(node, "allOf");
  let { open } = at;
  const parts = [...schemasOf(node, "allOf")];
  for (let next = 0; next < Math.min(parts.length, mostParts); next++) {
    const expanded = expandRef(parts[next] ?? true, open, work);
    ({ open } = expanded);
    if (typeof expanded.schema === "boolean") continue;
    parts.push(...schemasOf(expanded.schema, "allOf"));
    made = mergeSchemas(made, without(expanded.schema, "allOf"));
  }
  return { node: typeof made === "boolean" ? {} : made, at: { ...at, open } };
}

// Nothing may stand beside a union: what did goes into each of its parts.
function moveIntoParts({ node, at }: Placed, work: Adaptation): JsonObject {
  const { description } = node;
  const beside = without(node, "anyOf", "title", "description", "default", "examples");
  note(work, "what stands beside a union put into its parts");
  const parts = schemasOf(node, "anyOf").flatMap((part) => {
    const merged = mergeSchemas(expandRef(part, at.open, work).schema, beside);
    return typeof merged === "boolean" ? (merged ? [beside] : []) : [merged];
  });
  const [first, ...rest] = parts;
  if (first === undefined) return without(node, "anyOf");
  const own = first["description"];
  const words = [description, own].filter((text) => typeof text === "string").join("\n\n");
  return { anyOf: [withMembers(first, { description: words === "" ? undefined : words }), ...rest] };
}

// A union of the arguments themselves, as one object that has the properties of all parts.
function foldUnion({ node, at }: Placed, work: Adaptation): JsonObject {
  note(work, "a union at the root written as one object");
  const base = without(node, "anyOf");
  const parts = schemasOf(node, "anyOf")
    .map((part) => expandRef(part, at.open, work).schema)
    .filter(isJsonObject)
    .filter((part) => typesOf(part)?.includes("object") !== false);
  const choices = new Map<string, Schema[]>();
  for (const part of parts) {
    for (const [name, schema] of propertiesOf(part)) choices.set(name, [...(choices.get(name) ?? []), schema]);
  }
  const known = propertiesOf(base);
  const properties = new Map<string, Schema>(known);
  for (const [name, schemas] of choices) {
    const union = uniteSchemas(schemas);
    const declared = known.get(name);
    properties.set(name, declared === undefined ? union : mergeSchemas(declared, union));
  }
  const always = requiredOf(parts[0] ?? {}).filter((name) => parts.every((part) => requiredOf(part).includes(name)));
  const required = Array.from(new Set([...requiredOf(base), ...always]));
  const isClosed = parts.length > 0 && parts.every((part) => part["additionalProperties"] === false);
  return withMembers(describeParts(base, parts), {
    properties: toObject(properties),
    required: required.length === 0 ? undefined : required,
    additionalProperties: base["additionalProperties"] ?? (isClosed ? false : undefined),
  });
}

function uniteSchemas(schemas: readonly Schema[]): Schema {
  const different = Array.from(new Map(schemas.map((schema) => [canonicalJson(schema), schema])).values());
  const [only] = different;
  if (different.length === 1 && only !== undefined) return only;
  const values = different.map(literalsOf);
  if (!values.every((some) => some !== undefined)) return { anyOf: different };
  return toObject([["enum", Array.from(new Map(values.flat().map((one) => [JSON.stringify(one), one])).values())]]);
}

function literalsOf(schema: Schema): readonly unknown[] | undefined {
  if (typeof schema === "boolean") return undefined;
  if ("const" in schema) return [schema["const"]];
  return Array.isArray(schema["enum"]) ? schema["enum"] : undefined;
}

const mostPartsInWords = 12;

function describeParts(base: JsonObject, parts: readonly JsonObject[]): JsonObject {
  if (parts.length === 0) return base;
  const words = parts.slice(0, mostPartsInWords).map((part) => {
    const fixed = Array.from(propertiesOf(part)).flatMap(([name, schema]) =>
      isJsonObject(schema) && "const" in schema ? [`${name} = ${JSON.stringify(schema["const"])}`.slice(0, 80)] : [],
    );
    const names = requiredOf(part).map((name) => name.slice(0, 64));
    return `${fixed.join(", ")}${fixed.length > 0 ? ": " : ""}${names.slice(0, 20).join(", ") || "nothing"}`;
  });
  const more = parts.length > words.length ? "; or others" : "";
  return describe(base, `Give the members of one of these: ${words.join("; or ")}${more}.`);
}
