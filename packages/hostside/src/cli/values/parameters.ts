import { adaptSchema, openai, type SchemaProfile } from "@hostside/adapters";
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
  readonly byName: ReadonlyMap<string, Parameter>;
  /** `true` if the schema allows others. */
  readonly takesOthers: boolean;
}

// The order in which a text is tried.
const kinds = ["string", "choice", "null", "boolean", "integer", "number", "array", "object"] as const;
const mostParameters = 2000;
// References are written out, and unions are the only combinations, below the arguments themselves.
const flat: SchemaProfile = {
  id: "command-line",
  names: openai.names,
  takesRefs: false,
  refusedAtRoot: ["anyOf"],
  refused: ["allOf", "oneOf"],
};

/**
 * The kinds of values that a schema of a parameter allows, in the order in which a text is tried as
 * one of them; empty where it says nothing of kinds. Never throws, whatever the schema is.
 */
export function alternativesOf(schema: unknown): readonly Alternative[] {
  const found = branchesOf(schema).map(alternativesIn);
  if (found.some((one) => one.length === 0)) return [];
  return found.flat().toSorted((one, other) => kinds.indexOf(one.kind) - kinds.indexOf(other.kind));
}

function branchesOf(schema: unknown): readonly JsonObject[] {
  if (!isJsonObject(schema)) return [{}];
  const { anyOf, ...own } = schema;
  const branches = listOf(anyOf).flatMap((branch) => branchesOf({ ...own, ...(isJsonObject(branch) && branch) }));
  return branches.length === 0 ? [own] : branches;
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
export function readParameters(schema: JsonObject): Parameters {
  const adapted = adaptSchema(schema, flat);
  const { properties, required, additionalProperties, patternProperties } = adapted.ok ? adapted.schema : {};
  const entries = isJsonObject(properties) ? Object.entries(properties).slice(0, mostParameters) : [];
  const parameters = entries.map(([name, own]): Parameter => {
    return { name, schema: isJsonObject(own) ? own : {}, isRequired: listOf(required).includes(name) };
  });
  const isOpen = additionalProperties === true || isJsonObject(additionalProperties);
  const isUnsaid = properties === undefined && additionalProperties !== false;
  const takesOthers = isOpen || isUnsaid || patternProperties !== undefined;
  return { byName: new Map(parameters.map((one) => [one.name, one])), takesOthers };
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
