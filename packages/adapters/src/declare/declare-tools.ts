import type { ToolDefinition } from "@toolport/core";
import { adapterFields, assertAdapterOptions, type AdapterOptions } from "../adapter-options.ts";
import type { DeclaredTool, Declaration, LeftOutTool } from "../declared-tool.ts";
import type { SchemaProfile } from "../schema/schema-profile.ts";
import type { ToolSource } from "../tool-source.ts";
import { assignDeclaredNames } from "./assign-declared-names.ts";

/** Which tools are declared, and how: the part of {@linkcode AdapterOptions} that {@linkcode declareTools} reads. */
export type DeclareOptions = Pick<AdapterOptions, "strict" | "maxTools" | "onLeftOut">;

/**
 * What a source offers now, as one model API takes it: in the order of the source, under legal names, with schemas that the API does not
 * refuse. A tool that it would refuse anyway is left out, with a reason. What a definition and a profile make is kept as long as the
 * definition, so that to declare the same tools again costs next to nothing. Throws a `TypeError` for options that it cannot use.
 */
export function declareTools(source: ToolSource, profile: SchemaProfile, options: DeclareOptions = {}): Declaration {
  assertAdapterOptions("declareTools()", options, adapterFields);
  return declareDefinitions(source.definitions(), profile, options);
}

/** {@linkcode declareTools} for definitions that were read already, and options that were checked. */
export function declareDefinitions(
  definitions: readonly ToolDefinition[],
  profile: SchemaProfile,
  options: DeclareOptions,
): Declaration {
  const limit = options.maxTools ?? profile.maxTools?.value ?? Number.POSITIVE_INFINITY;
  const leftOut: LeftOutTool[] = definitions.slice(limit).map((definition) => ({
    definition,
    reason: `one request takes at most ${limit} tools`,
  }));
  const kept = definitions.slice(0, limit);
  const names = assignDeclaredNames(
    kept.map(({ name }) => name),
    profile.names.value,
  );
  const tools = kept.map((definition, at) => declareTool(definition, names[at] ?? definition.name));
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  for (const tool of leftOut) options.onLeftOut?.(tool);
  return { tools, leftOut, find: (name) => byName.get(name) };
}

function declareTool(definition: ToolDefinition, name: string): DeclaredTool {
  const { description, inputSchema } = definition;
  return { name, description, inputSchema, strict: false, definition, changes: [], restore: (args) => args };
}
