import type { ToolDefinition } from "@hostside/core";
import { truncateText } from "@hostside/core";
import { adaptSchema, type AdaptedSchema } from "../schema/adapt-schema.ts";
import type { SchemaProfile } from "../schema/schema-profile.ts";
import { countStrict, type StrictCount } from "./count-strict.ts";

/** A tool as one API takes it, before its name. */
export interface AdaptedTool {
  readonly description: string;
  readonly schema: AdaptedSchema;
  readonly changes: readonly string[];
  /** What it counts in strict mode. */
  readonly count: StrictCount;
}

type Adapted = AdaptedTool | { readonly reason: string };

// By definition and profile, so that to declare the same tools again costs nothing; both are never
// changed.
const adapted = new WeakMap<ToolDefinition, WeakMap<SchemaProfile, Adapted>>();

/**
 * A definition by the rules of a profile, or the reason why there is none. Kept as long as the
 * definition is.
 */
export function adaptTool(definition: ToolDefinition, profile: SchemaProfile): Adapted {
  const known = adapted.get(definition)?.get(profile);
  if (known !== undefined) return known;
  const made = adapt(definition, profile);
  const byProfile = adapted.get(definition) ?? new WeakMap<SchemaProfile, Adapted>();
  byProfile.set(profile, made);
  adapted.set(definition, byProfile);
  return made;
}

function adapt({ description, inputSchema }: ToolDefinition, profile: SchemaProfile): Adapted {
  const schema = adaptSchema(inputSchema, profile);
  if (!schema.ok) return { reason: schema.reason };
  const longest = profile.maxDescriptionLength?.value ?? Number.POSITIVE_INFINITY;
  const cut = truncateText(description.toWellFormed(), longest);
  const changes =
    cut.length === description.length
      ? schema.changes
      : [...schema.changes, `the description cut to ${longest} characters`];
  return { description: cut, schema, changes, count: countStrict(schema.schema) };
}
