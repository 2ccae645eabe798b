import type { JsonObject } from "@hostside/core";
import { Ajv } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";

/** A compiled schema, or why it cannot be compiled. */
export type CompiledSchema =
  | { readonly ok: true; readonly validate: (value: unknown) => readonly string[] }
  | { readonly ok: false; readonly reason: string };

// Text of a schema beyond which compiling may take seconds, measured at 1.6 s for 172 KB of
// combinators.
const longestSchema = 128 * 1024;

/** Compiles JSON Schemas. */
export type SchemaCompiler = (schema: JsonObject) => CompiledSchema;

/**
 * A compiler of JSON Schemas in the dialect that each names, 2020-12 by default. `validate` returns
 * what is wrong with a value, `[]` when nothing is. Never fetches a reference. One compiler serves
 * many schemas: making one takes longer than using it.
 */
export function createSchemaCompiler(): SchemaCompiler {
  const made = new Map<RegExp, Ajv>();
  return (schema) => {
    if (JSON.stringify(schema).length > longestSchema)
      return { ok: false, reason: `larger than ${longestSchema} characters` };
    const { $schema: name = "2020-12" } = schema;
    const dialect = dialects.find(([named]) => typeof name === "string" && named.test(name));
    if (dialect === undefined) return { ok: false, reason: `unknown dialect ${JSON.stringify(name)}` };
    const [named, create] = dialect;
    const ajv = made.get(named) ?? create();
    made.set(named, ajv);
    return compileWith(ajv, schema);
  };
}

function compileWith(ajv: Ajv, schema: JsonObject): CompiledSchema {
  try {
    const validate = ajv.compile(schema);
    return {
      ok: true,
      validate: (value) =>
        validate(value)
          ? []
          : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath || "(root)"} ${message}`),
    };
  } catch (error) {
    // A reference that leads out of the schema is not followed; whether it may be there is another
    // question.
    if (error instanceof Ajv.MissingRefError && /^https?:/.test(error.missingRef))
      return { ok: true, validate: () => [] };
    return { ok: false, reason: error instanceof Error ? error.message : String(error) };
  } finally {
    // Two tools may use the same $id.
    ajv.removeSchema();
  }
}

const options = { strict: false, validateFormats: false, allErrors: true, logger: false } as const;

const dialects: readonly (readonly [named: RegExp, create: () => Ajv])[] = [
  [/2020-12/, () => new Ajv2020(options)],
  [/2019-09/, () => new Ajv2019(options)],
  [/draft-0[67]/, () => new Ajv(options)],
];
