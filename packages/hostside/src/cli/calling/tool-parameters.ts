import type { JsonObject } from "@hostside/core";
import { foldCase, isJsonObject } from "@hostside/core/implement";
import { listOf, memberOf, resolveSchema } from "./schema-alternatives.ts";

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
  /** Whether the schema says that there may be others. */
  readonly takesOthers: boolean;
}

const mostParameters = 2000;
// A schema may branch, and refer to itself, without end.
const mostSchemas = 500;
const deepest = 8;

/**
 * Reads the parameters of an object's schema, also those in `allOf`, `anyOf`, `oneOf` and behind
 * references. Bounded; never throws.
 */
export function readParameters(root: JsonObject): Parameters {
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
  const node = resolveSchema(root, root);
  read(node, 0, true);
  return { root, byName, takesOthers: (takesOthers || isSilent) && node["additionalProperties"] !== false };
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

/** The default that a schema names, if it does. */
export function defaultOf({ schema }: Parameter): { readonly value: JsonObject[string] } | undefined {
  const value = memberOf(schema, "default");
  return value === undefined ? undefined : { value: value as JsonObject[string] };
}
