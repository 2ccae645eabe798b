import type { ToolDefinition } from "@toolport/core";
import { adapterFields, assertAdapterOptions, type AdapterOptions } from "../adapter-options.ts";
import type { DeclaredTool, Declaration, LeftOutTool } from "../declared-tool.ts";
import type { SchemaProfile } from "../schema/schema-profile.ts";
import type { ToolSource } from "../tool-source.ts";
import { adaptTool, type AdaptedTool } from "./adapt-tool.ts";
import { assignDeclaredNames } from "./assign-declared-names.ts";
import { createStrictBudget, type StrictBudget } from "./strict-budget.ts";

/** Which tools are declared, and how: the part of {@linkcode AdapterOptions} that {@linkcode declareTools} reads. */
export type DeclareOptions = Pick<AdapterOptions, "strict" | "maxTools" | "onLeftOut">;

/**
 * What a source offers now, as one model API takes it: in the order of the source, under legal names, with schemas that the API does not
 * refuse. A tool that it would refuse anyway is left out, with a reason. What a definition and a profile make is kept as long as the
 * definition, so that to declare the same tools again costs next to nothing; a definition must not be changed. Throws a `TypeError` for options that it cannot use.
 */
export function declareTools(source: ToolSource, profile: SchemaProfile, options: DeclareOptions = {}): Declaration {
  assertAdapterOptions("declareTools()", options, adapterFields);
  return declareDefinitions(source.definitions(), profile, options);
}

interface Fitting {
  readonly definition: ToolDefinition;
  readonly tool: AdaptedTool;
}

/** {@linkcode declareTools} for definitions that were read already, and options that were checked. */
export function declareDefinitions(
  definitions: readonly ToolDefinition[],
  profile: SchemaProfile,
  { strict, maxTools, onLeftOut }: DeclareOptions,
): Declaration {
  const limit = maxTools ?? profile.maxTools?.value ?? Number.POSITIVE_INFINITY;
  const budget = strict === "where-possible" ? createStrictBudget(profile) : undefined;
  const fitting: Fitting[] = [];
  const leftOut: LeftOutTool[] = [];
  for (const definition of definitions) {
    if (fitting.length >= limit) {
      leftOut.push({ definition, reason: `one request takes at most ${limit} tools` });
      continue;
    }
    const tool = fit(definition, profile, budget);
    if ("reason" in tool) leftOut.push({ definition, reason: tool.reason });
    else fitting.push({ definition, tool });
  }
  const localNames = fitting.map(({ definition }) => definition.name);
  const names = assignDeclaredNames(localNames, profile.names.value);
  const tools = fitting.map((one, at) => declareTool(one, names[at] ?? one.definition.name));
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  for (const tool of leftOut) onLeftOut?.(tool);
  return { tools, leftOut, find: (name) => byName.get(name) };
}

function fit(
  definition: ToolDefinition,
  profile: SchemaProfile,
  budget: StrictBudget | undefined,
): AdaptedTool | { readonly reason: string } {
  if (budget !== undefined && profile.strict !== undefined) {
    const enforced = adaptTool(definition, profile.strict);
    if (!("reason" in enforced) && budget.take(enforced.count)) return enforced;
  }
  return adaptTool(definition, profile);
}

function declareTool({ definition, tool: { description, schema, changes } }: Fitting, name: string): DeclaredTool {
  return {
    name,
    description,
    inputSchema: schema.schema,
    strict: schema.strict,
    definition,
    changes,
    restore: (args) => schema.restore(args),
  };
}
