import type { JsonObject } from "@hostside/core";
import { cleanSchema, isJsonObject } from "@hostside/core/implement";
import { CannotAdapt, note, type Adaptation } from "./adaptation.ts";
import { fitSchema } from "./fit-schema.ts";
import { resolveRef } from "./references.ts";
import type { SchemaProfile } from "./schema-profile.ts";

/** A schema that an API takes. */
export interface AdaptedSchema {
  readonly ok: true;
  /** The given object itself where nothing had to change. */
  readonly schema: JsonObject;
  /** The changes, in words; `[]` if there are none. */
  readonly changes: readonly string[];
  /**
   * Gives arguments by the adapted schema the names that the tool's server knows. Changes nothing
   * that it is given.
   */
  restore(args: unknown): unknown;
}

/** Why a schema cannot be made to fit. */
export interface UnfitSchema {
  readonly ok: false;
  readonly reason: string;
}

const mostTextLength = 1_048_576;

/**
 * Makes of a tool's input schema one that an API takes: the very same where it can, else one that
 * takes at least what the given one does and says the rest in words, because the tool's own server
 * checks its arguments. `{ ok: false }` where not even that fits.
 *
 * Pure, and never fetches. Changes nothing that it is given. The values in `const`, `enum`,
 * `default` and `examples` are data, and so are the names of properties. A schema of more than
 * 1,048,576 characters of JSON, or nested more than 256 deep, does not fit.
 *
 * @example
 * const adapted = adaptSchema(definition.inputSchema, gemini);
 * if (adapted.ok) console.log(adapted.schema, adapted.changes);
 */
export function adaptSchema(schema: JsonObject, profile: SchemaProfile): AdaptedSchema | UnfitSchema {
  try {
    if (!isJsonObject(schema)) throw new CannotAdapt("a schema that is no object");
    assertLength(schema);
    // An API refuses the whole request, and each later one, for half a character in it.
    const root = cleanSchema(schema);
    const kept = adapt(root, profile, profile.takesRefs);
    const isWhole = Array.from(kept.work.refs).every((ref) => resolveRef(kept.made, ref) !== undefined);
    const { made, work } = isWhole ? kept : adapt(root, profile, false);
    if (root !== schema) note(work, "unseen and half characters left out");
    if (made !== schema) assertLength(made);
    const { renamed } = work;
    return {
      ok: true,
      schema: made,
      changes: Array.from(work.changes),
      restore: (args) => (renamed.size === 0 ? args : restoreNames(args, renamed)),
    };
  } catch (error) {
    if (error instanceof CannotAdapt) return { ok: false, reason: `the API does not take ${error.message}` };
    // The stack is too small for how deep the schema is nested.
    if (error instanceof RangeError) return { ok: false, reason: "its schema is nested too deep" };
    throw error;
  }
}

function adapt(root: JsonObject, profile: SchemaProfile, keepsRefs: boolean): { made: JsonObject; work: Adaptation } {
  const work: Adaptation = {
    profile,
    root,
    keepsRefs,
    changes: new Set(),
    renamed: new Map(),
    refs: new Set(),
    count: { references: 0 },
  };
  return { made: fitSchema(root, { isRoot: true, depth: 1, open: [] }, work), work };
}

function assertLength(schema: JsonObject): void {
  let length: number;
  try {
    length = JSON.stringify(schema).length;
  } catch (error) {
    if (error instanceof RangeError) throw error;
    throw new CannotAdapt("a schema that holds itself");
  }
  if (length > mostTextLength) throw new CannotAdapt(`a schema of more than ${mostTextLength} characters`);
}

// Bounds the depth of what a model writes.
const deepest = 200;

// Each name that stands for another one carries a hash, so that it stands for that one everywhere.
function restoreNames(value: unknown, renamed: ReadonlyMap<string, string>, depth: number = 0): unknown {
  if (depth > deepest) return value;
  if (Array.isArray(value)) return value.map((item) => restoreNames(item, renamed, depth + 1));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      renamed.get(name) ?? name,
      restoreNames(member, renamed, depth + 1),
    ]),
  );
}
