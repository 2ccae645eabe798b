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
  const made = new Map<Dialect, Ajv>();
  return (schema) => {
    if (JSON.stringify(schema).length > longestSchema)
      return { ok: false, reason: `larger than ${longestSchema} characters` };
    const dialect = dialectOf(schema["$schema"]);
    if (dialect === undefined) return { ok: false, reason: `unknown dialect ${JSON.stringify(schema["$schema"])}` };
    const ajv = made.get(dialect) ?? create[dialect]();
    made.set(dialect, ajv);
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

type Dialect = "draft-07" | "2019-09" | "2020-12";

const options = { strict: false, validateFormats: false, allErrors: true, logger: false } as const;

const create: Readonly<Record<Dialect, () => Ajv>> = {
  "draft-07": () => new Ajv(options),
  "2019-09": () => new Ajv2019(options),
  "2020-12": () => new Ajv2020(options),
};

function dialectOf(dialect: unknown): Dialect | undefined {
  if (dialect === undefined) return "2020-12";
  if (typeof dialect !== "string") return undefined;
  if (dialect.includes("2020-12")) return "2020-12";
  if (dialect.includes("2019-09")) return "2019-09";
  return /draft-0[67]/.test(dialect) ? "draft-07" : undefined;
}
