import { Ajv } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import * as fc from "fast-check";
import { RE2JS } from "re2js";
import { describe, expect, it } from "vitest";
import { compileSchema } from "./compile-schema.ts";

// `pnpm proof properties` sets it.
const runs = Number(process.env["HOSTSIDE_RUNS"] ?? 10);

type Schema = Readonly<Record<string, unknown>> | boolean;

// Not `__proto__`: Ajv looks at no member of that name.
const names = fc.constantFrom("a", "b", "c", "constructor", "x/y");
const counts = fc.nat({ max: 3 });
const numbers = fc.constantFrom(-1, 0, 1, 1.5, 2, 3);
const texts = fc.constantFrom("", "a", "ab", "b1", "😀", "ä");
const patterns = fc.constantFrom("^a", "b", "^.$", "[0-9]", "^(a|b)+$");
const kinds = fc.constantFrom("string", "number", "integer", "boolean", "null", "array", "object");

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    texts,
    numbers,
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(names, tie("value"), { maxKeys: 4 }),
  ),
}));

function schemas(dialect: "draft-07" | "2019-09" | "2020-12", isRoot: boolean): fc.Arbitrary<Schema> {
  const isOld = dialect === "draft-07";
  return fc.letrec<{ schema: Schema }>((tie) => {
    const schema = tie("schema");
    const list = fc.array(schema, { minLength: 1, maxLength: 3 });
    const map = fc.dictionary(names, schema, { maxKeys: 3 });
    const keywords: Record<string, fc.Arbitrary<unknown>> = {
      type: fc.oneof(kinds, fc.uniqueArray(kinds, { minLength: 1, maxLength: 3 })),
      enum: fc.uniqueArray(value, { minLength: 1, maxLength: 3, selector: (each) => JSON.stringify(each) }),
      const: value,
      minimum: numbers,
      exclusiveMaximum: numbers,
      multipleOf: fc.constantFrom(1, 2, 0.5),
      minLength: counts,
      maxLength: counts,
      pattern: patterns,
      required: fc.uniqueArray(names, { maxLength: 2 }),
      minProperties: counts,
      maxProperties: counts,
      properties: map,
      patternProperties: fc.dictionary(patterns, schema, { maxKeys: 2 }),
      additionalProperties: schema,
      propertyNames: schema,
      minItems: counts,
      maxItems: counts,
      uniqueItems: fc.boolean(),
      items: schema,
      contains: fc.record({ type: kinds }),
      allOf: list,
      anyOf: list,
      oneOf: list,
      not: schema,
      if: schema,
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
      then: schema,
      else: schema,
      ...(isRoot && { $ref: fc.constantFrom("#/$defs/one", "#/$defs/t~1h", "#/$defs/two") }),
      ...(dialect === "2020-12" && { prefixItems: list, items: schema }),
      ...(!isOld && {
        minContains: counts,
        maxContains: counts,
        dependentRequired: fc.dictionary(names, fc.uniqueArray(names, { maxLength: 2 }), { maxKeys: 2 }),
        dependentSchemas: map,
      }),
      ...(isOld && { dependencies: fc.dictionary(names, fc.oneof(schema, fc.uniqueArray(names, { maxLength: 2 }))) }),
      ...(dialect !== "2020-12" && { items: fc.oneof(schema, list), additionalItems: schema }),
    };
    const some = fc
      .uniqueArray(fc.constantFrom(...Object.keys(keywords)), { maxLength: 4 })
      // Ajv takes `contains` for met by an empty list when it stands beside a list of schemas for
      // items.
      .filter((chosen) => !chosen.includes("contains") || !chosen.some((name) => /items$/i.test(name)))
      // Ajv heeds what stands beside a `$ref`, which draft-07 says to ignore.
      .map((chosen) => (isOld && chosen.includes("$ref") ? ["$ref"] : chosen))
      .chain((chosen) =>
        fc.record(Object.fromEntries(chosen.map((name) => [name, keywords[name] ?? fc.constant(true)]))),
      );
    return { schema: fc.oneof({ depthSize: "small" }, fc.boolean(), some, some, some) };
  }).schema;
}

const addresses = {
  "draft-07": "http://json-schema.org/draft-07/schema#",
  "2019-09": "https://json-schema.org/draft/2019-09/schema",
  "2020-12": "https://json-schema.org/draft/2020-12/schema",
} as const;

const validators = {
  "draft-07": () => new Ajv({ strict: false, ownProperties: true }),
  "2019-09": () => new Ajv2019({ strict: false, ownProperties: true }),
  "2020-12": () => new Ajv2020({ strict: false, ownProperties: true }),
} as const;

async function verdictOf(schema: unknown, data: unknown): Promise<boolean> {
  const verdict = (await compileSchema(schema, async () => RE2JS)).check(data);
  expect(verdict.kind).not.toBe("too-much");
  // Whoever says no says where and why.
  expect(verdict.kind !== "invalid" || verdict.violations.length > 0).toBe(true);
  return verdict.kind === "valid";
}

// Ajv's own code fails for some schemas: `TypeError: Cannot set properties of undefined`. Then it
// has no verdict.
function verdictOfAjv(check: (data: unknown) => unknown, data: unknown): boolean | undefined {
  try {
    return check(data) === true;
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

describe("compileSchema() and Ajv", () => {
  it.each(["draft-07", "2019-09", "2020-12"] as const)("agree on %s", async (dialect) => {
    const sub = schemas(dialect, false);
    const $defs = fc.record({ one: sub, two: sub, "t/h": sub });
    await fc.assert(
      fc.asyncProperty(
        schemas(dialect, true),
        $defs,
        fc.array(value, { minLength: 1, maxLength: 5 }),
        async (body, $defs, data) => {
          const schema = {
            ...(typeof body === "boolean" ? { allOf: [body] } : body),
            $schema: addresses[dialect],
            $defs,
          };
          const text = JSON.stringify(schema);
          const check = validators[dialect]().compile(JSON.parse(text) as object);
          for (const each of data) {
            const valid = await verdictOf(JSON.parse(text), each);
            expect({ data: each, valid }).toEqual({ data: each, valid: verdictOfAjv(check, each) ?? valid });
          }
        },
      ),
      { numRuns: runs },
    );
  });
});
