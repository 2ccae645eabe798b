import type { JsonObject } from "@toolport/core";
import { Ajv } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";

/** A compiled schema, or why it cannot be compiled. */
export type CompiledSchema =
  | { readonly ok: true; readonly validate: (value: unknown) => readonly string[] }
  | { readonly ok: false; readonly reason: string };

// Text of a schema beyond which compiling may take seconds, measured at 1.6 s for 172 KB of combinators.
const longestSchema = 128 * 1024;

/**
 * Compiles a JSON Schema in the dialect that it names, 2020-12 by default. `validate` returns what is wrong with a value, `[]` when
 * nothing is. Never fetches a reference.
 */
export function compileSchema(schema: JsonObject): CompiledSchema {
  if (JSON.stringify(schema).length > longestSchema)
    return { ok: false, reason: `larger than ${longestSchema} characters` };
  const create = dialectOf(schema["$schema"]);
  if (create === undefined) return { ok: false, reason: `unknown dialect ${JSON.stringify(schema["$schema"])}` };
  try {
    const validate = create().compile(schema);
    return {
      ok: true,
      validate: (value) =>
        validate(value)
          ? []
          : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath || "(root)"} ${message}`),
    };
  } catch (error) {
    // A reference that leads out of the schema is not followed; whether it may be there is another question.
    if (error instanceof Ajv.MissingRefError && /^https?:/.test(error.missingRef))
      return { ok: true, validate: () => [] };
    return { ok: false, reason: error instanceof Error ? error.message : String(error) };
  }
}

const options = { strict: false, validateFormats: false, allErrors: true, logger: false } as const;

function dialectOf(dialect: unknown): (() => Ajv) | undefined {
  if (dialect === undefined || (typeof dialect === "string" && dialect.includes("2020-12")))
    return () => new Ajv2020(options);
  if (typeof dialect !== "string") return undefined;
  if (dialect.includes("2019-09")) return () => new Ajv2019(options);
  return /draft-0[67]/.test(dialect) ? () => new Ajv(options) : undefined;
}
