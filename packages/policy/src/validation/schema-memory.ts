import type { JsonObject } from "@hostside/core";
import { LRUCache } from "lru-cache";
import { compileSchema, type CompiledSchema, type CompileOptions } from "./schema/compile-schema.ts";

/** A schema that was looked at: what checks against it, or why nothing does. */
export type KnownSchema =
  | { readonly kind: "usable"; readonly compiled: CompiledSchema }
  | { readonly kind: "unusable"; readonly problem: string };

/** Schemas that were compiled, each when it was first needed. */
export interface SchemaMemory {
  /** The schema, when it is known already; so that most calls wait for nothing. */
  find(schema: JsonObject): KnownSchema | undefined;
  /** `onNew` is told what came of it, once for each schema that had to be compiled. */
  load(schema: JsonObject, onNew: (known: KnownSchema) => void): Promise<KnownSchema>;
}

/** What schemas are kept by. */
export interface SchemaMemoryInit extends Partial<CompileOptions> {
  /** How many are kept. */
  readonly max: number;
}

/**
 * Makes a memory for `max` schemas; the one that was not needed for longest goes first. A schema is
 * known by being the very object, so that nothing that a server writes into it (`$id`, `title`) can
 * make it another's.
 */
export function createSchemaMemory({ max, loadPatternEngine = loadRe2, formats }: SchemaMemoryInit): SchemaMemory {
  const known = new LRUCache<JsonObject, KnownSchema>({ max });
  return {
    find: (schema) => known.get(schema),
    async load(schema, onNew) {
      const result = await compile(schema, { loadPatternEngine, formats });
      // Two calls may have had it compiled at the same time.
      const first = known.get(schema);
      if (first !== undefined) return first;
      known.set(schema, result);
      onNew(result);
      return result;
    },
  };
}

async function compile(schema: JsonObject, options: CompileOptions): Promise<KnownSchema> {
  try {
    return { kind: "usable", compiled: await compileSchema(schema, options) };
  } catch (error) {
    // Whatever is wrong with a server's schema, its tool can be called without a check.
    return { kind: "unusable", problem: error instanceof TypeError ? error.message : "it cannot be compiled" };
  }
}

// The engine is larger than all the rest of the package, and few schemas have a pattern.
async function loadRe2(): ReturnType<CompileOptions["loadPatternEngine"]> {
  const { RE2JS } = await import("re2js");
  return RE2JS;
}
