import type { JsonObject } from "@hostside/core";
import { foldCase, isJsonObject } from "@hostside/core/implement";
import { alternativesOf, listOf, memberOf, resolveSchema } from "./schema-alternatives.ts";

/** A parameter of a tool, as its schema has it. Names and texts are a server's. */
export interface Parameter {
  readonly name: string;
  readonly schema: JsonObject;
  readonly isRequired: boolean;
}

/** The parameters of a tool, or the members of an object among them. */
export interface Parameters {
  /** The schema that references are followed within. */
  readonly root: JsonObject;
  readonly byName: ReadonlyMap<string, Parameter>;
  /** Whether the schema says that there may be others. */
  readonly takesOthers: boolean;
}

/** Where an argument belongs. */
export interface ParameterPlace {
  /** Names from the arguments inwards. At least one. */
  readonly path: readonly string[];
  readonly schema: unknown;
}

const mostParameters = 2000;
// A schema may branch, and refer to itself, without end.
const mostSchemas = 500;
const deepest = 8;

/**
 * Reads the parameters of an object's schema, also those in `allOf`, `anyOf`, `oneOf` and behind
 * references. Bounded; never throws.
 */
export function readParameters(schema: unknown, root: JsonObject): Parameters {
  const byName = new Map<string, Parameter>();
  let takesOthers = false;
  let isSilent = true;
  let left = mostSchemas;
  const read = (node: JsonObject, depth: number, isSure: boolean): void => {
    left -= 1;
    if (left < 0) return;
    const required = new Set(isSure ? listOf(node["required"]) : []);
    const { properties } = node;
    const entries = isJsonObject(properties) ? Object.entries(properties) : [];
    for (const [name, given] of entries.slice(0, mostParameters - byName.size)) {
      const known = byName.get(name);
      byName.set(name, {
        name,
        schema: known?.schema ?? resolveSchema(given, root),
        isRequired: required.has(name) || known?.isRequired === true,
      });
    }
    const { additionalProperties: others, patternProperties } = node;
    isSilent &&= properties === undefined;
    takesOthers ||=
      others === true || (typeof others === "object" && others !== null) || patternProperties !== undefined;
    if (depth >= deepest) return;
    for (const part of listOf(node["allOf"])) read(resolveSchema(part, root), depth + 1, isSure);
    for (const key of ["anyOf", "oneOf"]) {
      for (const part of listOf(node[key])) read(resolveSchema(part, root), depth + 1, false);
    }
  };
  const node = resolveSchema(schema, root);
  read(node, 0, true);
  return { root, byName, takesOthers: (takesOthers || isSilent) && node["additionalProperties"] !== false };
}

/**
 * Where the argument of this name belongs: a parameter, as it is written, or else with other
 * capitals, `-` for `_` and the like, where one alone is meant; with dots a member of an object,
 * `--a.b`. `undefined`: the tool has no such parameter.
 */
export function findPlace(name: string, parameters: Parameters): ParameterPlace | undefined {
  return findWithin(name, parameters, 0);
}

/** All names by which arguments may be given that are not nested. */
export function parameterNamesOf({ byName }: Parameters): readonly string[] {
  return [...byName.keys()];
}

function findWithin(name: string, parameters: Parameters, depth: number): ParameterPlace | undefined {
  const own = findParameter(name, parameters);
  if (own !== undefined) return { path: [own.name], schema: own.schema };
  // The longest name first, because names may have dots of their own.
  const inwards = depth < deepest ? parameters : undefined;
  for (let dot = name.lastIndexOf("."); dot > 0; dot = name.lastIndexOf(".", dot - 1)) {
    const holder = inwards && findParameter(name.slice(0, dot), inwards);
    const inside = holder && membersOf(holder, parameters.root);
    const rest = inside && findWithin(name.slice(dot + 1), inside, depth + 1);
    if (holder !== undefined && rest !== undefined) return { path: [holder.name, ...rest.path], schema: rest.schema };
  }
  if (!parameters.takesOthers || name === "") return undefined;
  return { path: name.split("."), schema: {} };
}

function membersOf({ schema }: Parameter, root: JsonObject): Parameters | undefined {
  const alternatives = alternativesOf(schema, root);
  if (alternatives.length === 0) return readParameters(schema, root);
  const object = alternatives.find(({ kind }) => kind === "object");
  return object && readParameters(object.schema, root);
}

function findParameter(name: string, { byName }: Parameters): Parameter | undefined {
  const exact = byName.get(name);
  if (exact !== undefined) return exact;
  const wanted = lettersOf(name);
  const similar = wanted === "" ? [] : [...byName.values()].filter((one) => lettersOf(one.name) === wanted);
  return similar.length === 1 ? similar[0] : undefined;
}

function lettersOf(name: string): string {
  return foldCase(name).replaceAll(/[-_ ]/g, "");
}

/** The default that a schema names, if it does. */
export function defaultOf({ schema }: Parameter): { readonly value: JsonObject[string] } | undefined {
  const value = memberOf(schema, "default");
  return value === undefined ? undefined : { value: value as JsonObject[string] };
}
