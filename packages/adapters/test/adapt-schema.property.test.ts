import { adaptSchema, type SchemaProfile } from "@hostside/adapters";
import type { JsonObject } from "@hostside/core";
import { Ajv2020 } from "ajv/dist/2020.js";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { profiles } from "./all-profiles.ts";
import { findRefusals } from "./find-refusals.ts";

// Names that are no keywords, that are, and that an API does not take.
const names = fc.constantFrom("a", "b", "c", "$ref", "definitions", "a b", "1x");
const texts = fc.constantFrom("", "a", "ab", "b1", "ä");
const numbers = fc.constantFrom(-1, 0, 1, 1.5, 2, 3);
const scalars = fc.oneof(texts, numbers, fc.boolean(), fc.constant(null));
const counts = fc.nat({ max: 2 });
const kinds = fc.constantFrom("string", "number", "integer", "boolean", "null", "array", "object");

const description = fc.constant("as it says");

/** What most servers write. */
function common(schema: fc.Arbitrary<JsonObject>): readonly fc.Arbitrary<unknown>[] {
  const typed = <T extends string>(type: T): fc.Arbitrary<{ type: T }> => fc.record({ type: fc.constant(type) });
  return [
    fc.record({ type: fc.constant("string"), description, default: fc.constant(null) }, { requiredKeys: ["type"] }),
    fc.record({ type: fc.constant("integer"), exclusiveMinimum: fc.constantFrom(0, 0.5) }, { requiredKeys: ["type"] }),
    fc.record({ const: scalars }),
    fc.record({ type: fc.constant("string"), enum: fc.uniqueArray(texts, { minLength: 1, maxLength: 3 }) }),
    fc.record({ type: fc.constant(["string", "null"]), default: fc.constant(null) }, { requiredKeys: ["type"] }),
    fc.record(
      { anyOf: fc.tuple(schema, typed("null")), description, default: fc.constant(null) },
      { requiredKeys: ["anyOf"] },
    ),
    fc.record({ oneOf: fc.tuple(typed("string"), typed("boolean")) }),
    fc.record({ oneOf: fc.tuple(variant("x", schema), variant("y", schema)) }),
    fc.record({ allOf: fc.tuple(openObject(schema), openObject(schema)) }),
    fc.record({ $ref: fc.constantFrom("#/$defs/one", "#/$defs/two"), description }, { requiredKeys: ["$ref"] }),
    fc.record({ type: fc.constant("array"), items: schema }),
    closedObject(schema),
  ];
}

function variant(kind: string, schema: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const properties = fc.record({ kind: fc.constant({ const: kind }), [kind]: schema });
  return properties.map((members) => ({
    type: "object",
    properties: members,
    required: ["kind"],
    additionalProperties: false,
  }));
}

function openObject(schema: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.record({ type: fc.constant("object"), properties: fc.dictionary(names, schema, { maxKeys: 2 }) });
}

function closedObject(schema: fc.Arbitrary<unknown>): fc.Arbitrary<JsonObject> {
  const properties = fc.dictionary(names, schema, { maxKeys: 3 });
  return fc.tuple(properties, fc.array(fc.nat(), { maxLength: 2 })).map(([members, chosen]) => {
    const all = Object.keys(members);
    const required = Array.from(new Set(all.length === 0 ? [] : chosen.map((one) => all[one % all.length])));
    return {
      type: "object",
      properties: members,
      ...(required.length > 0 && { required }),
      additionalProperties: false,
    } as JsonObject;
  });
}

/** What some servers write, and what nobody would. */
function odd(schema: fc.Arbitrary<unknown>): readonly fc.Arbitrary<unknown>[] {
  const list = fc.array(schema, { minLength: 1, maxLength: 2 });
  return [
    fc.boolean(),
    fc.constant({}),
    fc.record(
      {
        type: fc.constant("string"),
        minLength: counts,
        pattern: fc.constantFrom("^a", "(?=a)a"),
        format: fc.constant("uri"),
      },
      { requiredKeys: ["type"] },
    ),
    fc.record(
      { type: fc.constant("number"), exclusiveMaximum: numbers, multipleOf: fc.constantFrom(1, 2) },
      { requiredKeys: ["type"] },
    ),
    fc.record({ enum: fc.uniqueArray(scalars, { minLength: 1, maxLength: 3 }) }),
    fc.record({ type: fc.uniqueArray(kinds, { minLength: 1, maxLength: 3 }) }),
    fc.record(
      { type: fc.constant("array"), prefixItems: list, minItems: counts, uniqueItems: fc.boolean() },
      { requiredKeys: ["type"] },
    ),
    fc.record(
      { type: fc.constant("array"), contains: schema, maxContains: counts },
      { requiredKeys: ["type", "contains"] },
    ),
    fc.record(
      { type: fc.constant("object"), additionalProperties: schema, minProperties: counts },
      { requiredKeys: ["type"] },
    ),
    fc.record(
      {
        type: fc.constant("object"),
        properties: fc.dictionary(names, schema, { maxKeys: 2 }),
        dependentRequired: fc.dictionary(names, fc.uniqueArray(names, { maxLength: 1 }), { maxKeys: 1 }),
        propertyNames: fc.record({ maxLength: counts }),
        unevaluatedProperties: fc.boolean(),
      },
      { requiredKeys: ["type"] },
    ),
    fc.record({ anyOf: list }),
    fc.record({ oneOf: list }),
    fc.record({ allOf: list }),
    fc.record({ not: schema }),
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    fc.record({ if: schema, then: schema, else: schema }, { requiredKeys: [] }),
    fc.record({ anyOf: list, type: kinds, const: scalars }, { requiredKeys: ["anyOf"] }),
    fc.constantFrom({ $ref: "#" }, { $ref: "#/nowhere" }, { $ref: "https://example.com/x.json" }),
  ];
}

function schemasOf(kind: "common" | "odd"): fc.Arbitrary<JsonObject> {
  const { schema } = fc.letrec<{ schema: JsonObject }>((tie) => {
    const parts = [...common(tie("schema")), ...(kind === "odd" ? odd(tie("schema")) : [])];
    return { schema: fc.oneof({ depthSize: "xsmall", maxDepth: 3 }, ...parts) as fc.Arbitrary<JsonObject> };
  });
  const root =
    kind === "common"
      ? closedObject(schema)
      : fc.oneof(closedObject(schema), openObject(schema) as fc.Arbitrary<JsonObject>);
  const unions = {
    anyOf: fc.tuple(variant("x", schema), variant("y", schema)),
    allOf: fc.tuple(openObject(schema)),
    oneOf: fc.tuple(schema),
  };
  const more =
    kind === "common"
      ? fc.constant({})
      : fc.oneof(
          { weight: 3, arbitrary: fc.constant({}) },
          { weight: 1, arbitrary: fc.record(unions, { requiredKeys: [] }) },
        );
  return fc
    .tuple(root, more, fc.record({ one: schema, two: schema }))
    .map(([object, added, $defs]) => JSON.stringify({ ...object, ...added, $defs }))
    .filter((text) => text.length < 1500)
    .map((text) => JSON.parse(text) as JsonObject);
}

interface Chance {
  readonly root: JsonObject;
  readonly pick: (most: number) => number;
}

/** Values that a schema is likely to take. */
function sample(schema: unknown, chance: Chance, depth: number = 0): unknown {
  const { root, pick } = chance;
  const chosen = (list: readonly unknown[]): unknown => list[pick(list.length)];
  if (typeof schema !== "object" || schema === null || depth > 8) return chosen(["a", 1, null, {}, []]);
  const one = schema as Record<string, unknown>;
  if (one["$ref"] === "#") return sample(root, chance, depth + 1);
  if (typeof one["$ref"] === "string") {
    const name = one["$ref"].slice("#/$defs/".length);
    return sample((root["$defs"] as JsonObject | undefined)?.[name], chance, depth + 1);
  }
  if ("const" in one) return one["const"];
  if (Array.isArray(one["enum"])) return chosen(one["enum"]);
  const parts = one["anyOf"] ?? one["oneOf"];
  if (Array.isArray(parts) && one["properties"] === undefined) return sample(chosen(parts), chance, depth + 1);
  const type = Array.isArray(one["type"])
    ? chosen(one["type"])
    : (one["type"] ?? chosen(["string", "object", "number"]));
  const properties = Object.entries((one["properties"] ?? {}) as JsonObject);
  switch (type) {
    case "string":
      return chosen(["", "a", "ab", "b1"]);
    case "number":
    case "integer":
      return chosen([0, 1, 2, 3, -1, 1.5]);
    case "boolean":
      return pick(2) === 0;
    case "array":
      return Array.from({ length: pick(3) }, () => sample(one["items"], chance, depth + 1));
    case "object": {
      const required = (one["required"] ?? []) as readonly string[];
      const members = properties
        .filter(([name]) => required.includes(name) || pick(2) === 0)
        .map(([name, sub]): [string, unknown] => [name, sample(sub, chance, depth + 1)]);
      for (const name of required) if (!members.some(([known]) => known === name)) members.push([name, "a"]);
      if (pick(4) === 0) members.push([String(chosen(["a", "z", "a b"])), chosen(["a", 1, null])]);
      return Object.fromEntries(members);
    }
    default:
      return null;
  }
}

const ajv = new Ajv2020({
  strict: false,
  meta: false,
  validateSchema: false,
  validateFormats: false,
  ownProperties: true,
});

function compile(schema: JsonObject): ((data: unknown) => boolean) | undefined {
  try {
    const check = ajv.compile(schema);
    return (data) => {
      try {
        return check(data);
      } catch (error) {
        // References that lead back to themselves at once: there is no verdict.
        if (error instanceof RangeError) return false;
        throw error;
      }
    };
  } catch {
    // A pattern that is none, or a reference that leads nowhere: there is no verdict.
    return undefined;
  }
}

interface Case {
  readonly schema: JsonObject;
  readonly before: (data: unknown) => boolean;
  readonly pick: (most: number) => number;
}

/** What is refused of an adapted schema, and values that the given one takes and it does not. */
function findFaults({ schema, before, pick }: Case, profile: SchemaProfile): readonly unknown[] {
  const text = JSON.stringify(schema);
  const adapted = adaptSchema(schema, profile);
  const faults: unknown[] = JSON.stringify(schema) === text ? [] : ["the given schema was changed"];
  if (!adapted.ok) return [...faults, profile.id, adapted.reason];
  faults.push(...findRefusals(adapted.schema, profile));
  const after = compile(adapted.schema);
  if (after === undefined) return [...faults, "no schema"];
  for (let round = 0; round < 6; round++) {
    const given = sample(adapted.schema, { root: adapted.schema, pick });
    const restored = adapted.restore(given);
    const isRenamed = adapted.changes.includes("names of properties written otherwise");
    if (!isRenamed && JSON.stringify(restored) !== JSON.stringify(given)) faults.push({ given, restored });
    const meant = sample(schema, { root: schema, pick });
    if (takesAll(adapted.changes) && before(meant) && !after(meant)) faults.push({ profile: profile.id, meant });
  }
  return faults;
}

// By other names, and where an API has no word for any value, less is taken.
function takesAll(changes: readonly string[]): boolean {
  return ![
    "names of properties written otherwise",
    "a value of any type written as a union of types",
    "the type that is meant named",
    "the type object named",
    "a union at the root written as one object",
    "required names declared",
    "true as a schema written as an object",
  ].some((change) => changes.includes(change));
}

describe("adaptSchema()", () => {
  it.each(["common", "odd"] as const)(
    "makes a schema that is taken, and takes what the given one does: %s schemas",
    (kind) => {
      const picks = fc.array(fc.nat({ max: 999 }), { minLength: 40, maxLength: 40 });
      fc.assert(
        fc.property(schemasOf(kind), picks, (schema, chosen) => {
          const before = compile(schema);
          // A reference that leads nowhere: there is no verdict.
          fc.pre(before !== undefined);
          let at = 0;
          const pick = (most: number): number => (chosen[at++ % chosen.length] ?? 0) % most;
          expect(profiles.flatMap((profile) => findFaults({ schema, before, pick }, profile))).toEqual([]);
        }),
        { numRuns: Number(process.env["RUNS"] ?? 8) },
      );
    },
  );
});
