import type { JsonObject } from "@hostside/core";
import { cleanSchema, isJsonObject } from "@hostside/core/implement";
import { CannotAdapt, noteChange, startAdaptation, type Adaptation } from "./adaptation.ts";
import { combine } from "./combine.ts";
import { findSchemaRefusals } from "./find-refusals.ts";
import { fitSchema } from "./fit-schema.ts";
import { isOldDraft, modernize, withObjectType } from "./modernize.ts";
import { placeRefs } from "./place-refs.ts";
import { planRestore } from "./restore-plan.ts";
import type { SchemaProfile } from "./schema-profile.ts";

/** How large a schema may be for somebody to look at it. */
const schemaBounds = { maxDepth: 256, maxValues: 20_000, maxTextLength: 1_048_576 } as const;

/**
 * Why a schema is too large to be looked at, or `undefined`. Goes by a list of its own, so that no
 * depth exhausts the stack, and counts what it meets, so that a value that holds itself ends, too.
 */
function tooLarge(schema: unknown): string | undefined {
  const waiting: (readonly [unknown, number])[] = [[schema, 0]];
  let values = 0;
  let length = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [value, depth] = next;
    values += 1;
    if (values + waiting.length > schemaBounds.maxValues)
      return `its schema has more than ${schemaBounds.maxValues} values`;
    if (depth > schemaBounds.maxDepth) return `its schema is nested more than ${schemaBounds.maxDepth} deep`;
    if (typeof value === "string") length += value.length;
    if (typeof value === "object" && value !== null) {
      for (const name of Object.keys(value)) {
        if (!Array.isArray(value)) length += name.length;
        waiting.push([Reflect.get(value, name), depth + 1]);
        if (waiting.length > schemaBounds.maxValues) return `its schema has more than ${schemaBounds.maxValues} values`;
      }
    }
    if (length > schemaBounds.maxTextLength) return `its schema has more than ${schemaBounds.maxTextLength} characters`;
  }
  return undefined;
}

/** A schema that an API takes. */
export interface AdaptedSchema {
  readonly ok: true;
  /** The very object that was given where nothing had to change. */
  readonly schema: JsonObject;
  /** What was done, in words; `[]` where nothing was. */
  readonly changes: readonly string[];
  /**
   * What is valid by it, after {@linkcode restore}: `"same"` what was; `"less"` some of it, such as
   * no names that nobody declared; `"more"` and `"other"` (more and less) also what the tool's
   * server will refuse, as the description says. By all but those two, what is valid is valid by
   * the given schema when it is restored.
   */
  readonly accepts: "same" | "less" | "more" | "other";
  /** Whether the API enforces it. */
  readonly strict: boolean;
  /**
   * Arguments by the adapted schema as the tool takes them. Gives back what is no object, and
   * changes nothing that it is given.
   */
  restore(args: unknown): unknown;
}

/** Why a schema cannot be made to fit. */
export interface UnfitSchema {
  readonly ok: false;
  readonly reason: string;
}

/** How far a schema that does not fit may be written out, as JSON text. */
const mostTextLength: number = schemaBounds.maxTextLength;

/**
 * Makes of a tool's input schema one that an API takes: the very same where it can, else one that
 * means the same, else one that asks for less and says the rest in words, because the tool's own
 * server looks at the arguments anyway. `{ ok: false }` where not even that fits.
 *
 * Pure, and never fetches. Changes nothing that it is given. What is in `const`, `enum`, `default`
 * and `examples` is data, and so are the names of properties. Bounded by `schemaBounds`, and by
 * what references may be written out to, whatever the schema is.
 */
export function adaptSchema(schema: JsonObject, profile: SchemaProfile): AdaptedSchema | UnfitSchema {
  if (!isJsonObject(schema)) return unfit("its schema is no object");
  const large = tooLarge(schema);
  if (large !== undefined) return unfit(large);
  // An API refuses the whole request, and each later one, for half a character in it.
  const clean = cleanSchema(schema);
  if (clean !== schema) return withChange(adaptSchema(clean, profile), "unseen and half characters left out");
  if (findSchemaRefusals(schema, profile.schema).length === 0) return unchanged(schema, profile);
  const adaptation = startAdaptation(profile);
  try {
    const adapted = adapt(schema, adaptation);
    const grown = tooLarge(adapted);
    if (grown !== undefined) return unfit(grown);
    const [left] = findSchemaRefusals(adapted, profile.schema);
    if (left !== undefined) return unfit(`the API refuses ${left}`);
    if (JSON.stringify(adapted).length > mostTextLength)
      return unfit(`its schema is longer than ${mostTextLength} characters`);
    const { more, less } = adaptation.accepts;
    return {
      ok: true,
      schema: adapted,
      changes: Array.from(adaptation.changes),
      accepts: more ? (less ? "other" : "more") : less ? "less" : "same",
      strict: profile.enforced,
      restore: planRestore(adapted, adaptation),
    };
  } catch (error) {
    if (error instanceof CannotAdapt) return unfit(`the API does not take ${error.message}`);
    throw error;
  }
}

function withChange(adapted: AdaptedSchema | UnfitSchema, change: string): AdaptedSchema | UnfitSchema {
  return adapted.ok ? { ...adapted, changes: [...adapted.changes, change] } : adapted;
}

function adapt(schema: JsonObject, adaptation: Adaptation): JsonObject {
  const scope = ["$schema", "$id"].filter((keyword) => schema[keyword] !== undefined);
  for (const keyword of scope) noteChange(adaptation, `${keyword} left out`);
  const modern = withObjectType(modernize(schema, isOldDraft(schema), adaptation), adaptation);
  const placed = placeRefs(modern, adaptation);
  const combined = combine(withObjectType(placed, adaptation), true, adaptation);
  return fitSchema(combined, { depth: 1, root: combined }, adaptation);
}

function unchanged(schema: JsonObject, profile: SchemaProfile): AdaptedSchema {
  return { ok: true, schema, changes: [], accepts: "same", strict: profile.enforced, restore: (args) => args };
}

function unfit(reason: string): UnfitSchema {
  return { ok: false, reason };
}
