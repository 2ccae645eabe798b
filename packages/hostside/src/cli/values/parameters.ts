import type { JsonObject, JsonValue } from "@hostside/core";
import { foldCase, isJsonObject } from "@hostside/core/implement";

/** A kind of value that JSON Schema names, or `choice`: one of some values. */
export type ValueKind = "string" | "choice" | "null" | "boolean" | "integer" | "number" | "array" | "object";

/** One kind of value that a schema allows. */
export interface Alternative {
  readonly kind: ValueKind;
  /** The only values that are allowed. Empty, but for a `choice`. */
  readonly choices: readonly JsonValue[];
  /** The schema of values of this kind. */
  readonly schema: JsonObject;
}

/** A parameter of a tool, as its schema has it. Names and texts are a server's. */
export interface Parameter {
  readonly name: string;
  readonly schema: JsonObject;
  readonly isRequired: boolean;
}

/** The parameters of a tool. */
export interface Parameters {
  /** The schema that references are followed within. */
  readonly root: JsonObject;
  readonly byName: ReadonlyMap<string, Parameter>;
  /** `true` if the schema allows others. */
  readonly takesOthers: boolean;
}

// The order in which a text is tried.
const kinds = ["string", "choice", "null", "boolean", "integer", "number", "array", "object"] as const;
// A schema is a server's: it may nest, branch and refer to itself without end.
const deepest = 12;
const mostBranches = 64;
const mostParameters = 2000;

/**
 * The kinds of values that a schema allows, in the order in which a text is tried as one of them;
 * empty where it says nothing of kinds. References are followed within `root`. Bounded, and never
 * throws, whatever the schema is.
 */
export function alternativesOf(schema: unknown, root: JsonObject): readonly Alternative[] {
  const found = branchesOf(schema, root).map(alternativesIn);
  if (found.some((one) => one.length === 0)) return [];
  return found.flat().toSorted((one, other) => kinds.indexOf(one.kind) - kinds.indexOf(other.kind));
}

function alternativesIn(schema: JsonObject): readonly Alternative[] {
  const { type, properties, items } = schema;
  const named = kinds.filter((kind) => type === kind || listOf(type).includes(kind));
  const given = Object.hasOwn(schema, "const") ? [schema["const"] ?? null] : listOf(schema["enum"]);
  const choices = given.filter((value) => named.length === 0 || named.some((kind) => isOfKind(value, kind)));
  if (choices.length > 0) return [{ kind: "choice", choices: choices as JsonValue[], schema }];
  if (named.length > 0) return named.map((kind) => ({ kind, choices: [], schema }));
  if (isJsonObject(properties)) return [{ kind: "object", choices: [], schema }];
  return items === undefined ? [] : [{ kind: "array", choices: [], schema }];
}

function isOfKind(value: unknown, kind: ValueKind): boolean {
  if (kind === "null") return value === null;
  if (kind === "integer") return Number.isInteger(value);
  if (kind === "array") return Array.isArray(value);
  return kind === "object" ? isJsonObject(value) : typeof value === kind;
}

/**
 * Reads the parameters of an object's schema, also those in `allOf`, `anyOf`, `oneOf` and behind
 * references. Bounded; never throws.
 */
export function readParameters(root: JsonObject): Parameters {
  const byName = new Map<string, Parameter>();
  const branches = branchesOf(root, root);
  const required = branches.map((branch) => new Set(listOf(branch["required"])));
  let takesOthers = false;
  for (const { properties, additionalProperties: others, patternProperties } of branches) {
    const entries = isJsonObject(properties) ? Object.entries(properties) : [];
    for (const [name, schema] of entries.slice(0, mostParameters - byName.size)) {
      if (byName.has(name)) continue;
      const isRequired = required.every((names) => names.has(name));
      byName.set(name, { name, schema: resolve(schema, root), isRequired });
    }
    const isOpen = others === true || (typeof others === "object" && others !== null);
    takesOthers ||= isOpen || patternProperties !== undefined || (properties === undefined && others !== false);
  }
  return { root, byName, takesOthers };
}

/**
 * The parameter of this name: as it is written, or else with other capitals, `-` for `_` and the
 * like, where one alone is meant. `undefined`: the tool has no such parameter.
 */
export function findParameter(name: string, { byName, takesOthers }: Parameters): Parameter | undefined {
  const exact = byName.get(name);
  if (exact !== undefined) return exact;
  const wanted = lettersOf(name);
  const similar = wanted === "" ? [] : [...byName.values()].filter((one) => lettersOf(one.name) === wanted);
  if (similar.length === 1) return similar[0];
  return takesOthers && name !== "" ? { name, schema: {}, isRequired: false } : undefined;
}

function lettersOf(name: string): string {
  return foldCase(name).replaceAll(/[-_ ]/g, "");
}

/** The value of a member that a value has itself, whatever it is called. */
export function memberOf(value: unknown, name: string): unknown {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.slice(0, mostParameters) : [];
}

/** A schema as one schema for each branch of `anyOf` or `oneOf`, without `$ref` and `allOf`. */
function branchesOf(schema: unknown, root: JsonObject): readonly JsonObject[] {
  const found: JsonObject[] = [];
  const visit = (node: JsonObject, depth: number): void => {
    const { allOf, ...own } = node;
    const { anyOf, oneOf, ...merged } = listOf(allOf)
      .slice(0, mostBranches)
      .reduce<JsonObject>((all, part) => merge(all, resolve(part, root)), own);
    const branches = depth < deepest ? listOf(anyOf ?? oneOf).slice(0, mostBranches - found.length) : [];
    if (branches.length === 0) found.push(merged);
    for (const branch of branches)
      if (found.length < mostBranches) visit(merge(merged, resolve(branch, root)), depth + 1);
  };
  visit(resolve(schema, root), 0);
  return found;
}

function merge(one: JsonObject, other: JsonObject): JsonObject {
  const required = [...listOf(one["required"]), ...listOf(other["required"])] as JsonValue[];
  const { properties: own } = one;
  const properties = isJsonObject(own) && { ...own, ...(other["properties"] as object), ...own };
  return { ...one, ...other, ...(required.length > 0 && { required }), ...(properties && { properties }) };
}

/** A schema with its `$ref` replaced by its target within `root`. Its own members win. */
function resolve(schema: unknown, root: JsonObject): JsonObject {
  let node = isJsonObject(schema) ? schema : {};
  for (let step = 0; step < deepest && typeof node["$ref"] === "string"; step += 1) {
    const { $ref, ...own } = node;
    node = { ...findTarget($ref, root), ...own };
  }
  return node;
}

// Only pointers into the schema itself; nothing is fetched.
function findTarget(ref: string, root: JsonObject): JsonObject {
  if (!ref.startsWith("#")) return {};
  let found: unknown = root;
  for (const step of ref.slice(1).split("/").slice(1, 32)) {
    const key = decode(step).replaceAll("~1", "/").replaceAll("~0", "~");
    found = Array.isArray(found) ? found[Number(key)] : memberOf(found, key);
  }
  return isJsonObject(found) ? found : {};
}

function decode(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}
