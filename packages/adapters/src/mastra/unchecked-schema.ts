import type { StandardSchemaWithJSON } from "@mastra/core/schema";
import type { JsonObject } from "@hostside/core";

/**
 * A JSON Schema as Mastra takes schemas, which lets every value pass: the schema is a server's,
 * with patterns that may be hostile, and it is the server, or a policy, that judges the arguments.
 */
export function uncheckedSchema(schema: JsonObject): StandardSchemaWithJSON {
  const written = (): Record<string, unknown> => ({ ...schema });
  return {
    "~standard": {
      version: 1,
      vendor: "hostside",
      validate: (value: unknown) => ({ value }),
      jsonSchema: { input: written, output: written },
    },
  };
}
