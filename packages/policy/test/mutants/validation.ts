import type { PolicyMutant } from "./policy-mutant.ts";

const stage = "packages/policy/src/validation/create-validation.test.ts";
const schema = "packages/policy/src/validation/schema/compile-schema.test.ts";

export const validationMutants: readonly PolicyMutant[] = [
  {
    bug: "a result that its tool calls an error is checked against the output schema",
    patches: [
      {
        file: "validation/create-validation.ts",
        find: "if (outcome.isError || outputSchema === undefined",
        replace: "if (outputSchema === undefined",
      },
    ],
    test: stage,
  },
  {
    bug: "compiled schemas are shared by what a server writes into them",
    patches: [
      {
        file: "validation/create-validation.ts",
        find: "const known = new WeakMap<JsonObject, KnownSchema>();",
        replace:
          "const keep = new Map<unknown, KnownSchema>(); const known = { get: (schema: JsonObject) => keep.get(schema['$id'] ?? schema), set: (schema: JsonObject, one: KnownSchema) => keep.set(schema['$id'] ?? schema, one) };",
      },
    ],
    test: stage,
  },
  {
    bug: "a server's own mark on its result is believed",
    patches: [
      {
        file: "validation/create-validation.ts",
        find: "const outcome = unmarkOutcome(await next(call));",
        replace: "const outcome = await next(call);",
      },
    ],
    test: stage,
  },
  {
    bug: "a schema that refers to itself is followed without a bound",
    patches: [
      {
        file: "validation/schema/run.ts",
        find: "spend(run, run.depth > deepest ? Number.POSITIVE_INFINITY : 1);",
        replace: "spend(run, 1);",
      },
    ],
    test: schema,
  },
  {
    bug: "a pattern that cannot be looked for counts as matching beneath `not`",
    patches: [
      {
        file: "validation/schema/compile-schema.ts",
        find: 'const turning = ["not", "if", "oneOf", "maxContains"];',
        replace: 'const turning = ["if", "oneOf", "maxContains"];',
      },
    ],
    test: schema,
  },
];
