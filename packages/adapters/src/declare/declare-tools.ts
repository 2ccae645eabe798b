import type { ToolDefinition } from "@hostside/core";
import type { Fields } from "@hostside/core/implement";
import { assertAdapterOptions, type AdapterOptions } from "../adapter-options.ts";
import type { DeclaredTool, Declaration, LeftOutTool } from "../declared-tool.ts";
import type { SchemaProfile } from "../schema/schema-profile.ts";
import type { ToolSource } from "../tool-source.ts";
import { adaptTool, type AdaptedTool } from "./adapt-tool.ts";
import { assignDeclaredNames } from "./assign-declared-names.ts";
import type { StrictCount } from "./count-strict.ts";

/**
 * Which tools are declared, and how: the part of {@linkcode AdapterOptions} that
 * {@linkcode declareTools} reads.
 */
export type AdapterDeclareOptions = Pick<AdapterOptions, "strict" | "maxTools" | "onLeftOut">;

const fields: Fields<AdapterDeclareOptions> = { strict: true, maxTools: true, onLeftOut: true };
const none: ReadonlySet<string> = new Set();

/**
 * What a source offers now, as one model API takes it: in the order of the source, under legal
 * names, with schemas that the API does not refuse. A tool that it would refuse anyway is left out,
 * with a reason. What a definition and a profile make is kept as long as the definition, so that to
 * declare the same tools again costs next to nothing; a definition must not be changed. Throws a
 * `TypeError` for options that it cannot use.
 */
export function declareTools(
  source: ToolSource,
  profile: SchemaProfile,
  options: AdapterDeclareOptions = {},
): Declaration {
  assertAdapterOptions("declareTools()", options, fields);
  const declaration = declareDefinitions(source.tools(), profile, options);
  for (const tool of declaration.leftOut) options.onLeftOut?.(tool);
  return declaration;
}

interface Fitting {
  readonly definition: ToolDefinition;
  readonly tool: AdaptedTool;
}

/** How definitions that were read already are declared, by options that were checked. */
export interface DeclareRules extends Pick<AdapterDeclareOptions, "strict" | "maxTools"> {
  /**
   * Names of tools that the product declares itself in the same request. They count, and no other
   * tool is declared by one. Default none.
   */
  readonly own?: ReadonlySet<string> | undefined;
}

/** {@linkcode declareTools} for definitions that were read already. */
export function declareDefinitions(
  definitions: readonly ToolDefinition[],
  profile: SchemaProfile,
  { strict, maxTools, own = none }: DeclareRules,
): Declaration {
  const limit = maxTools ?? profile.maxTools?.value ?? Number.POSITIVE_INFINITY;
  const tooMany = `one request takes at most ${limit} tools${own.size > 0 ? ", the product's own included" : ""}`;
  const budget = strict === "where-possible" ? createStrictBudget(profile) : undefined;
  const fitting: Fitting[] = [];
  const leftOut: LeftOutTool[] = [];
  const leaveOut = (definition: ToolDefinition, reason: string): void => void leftOut.push({ definition, reason });
  const read = new Set<string>();
  for (const definition of definitions) {
    if (read.has(definition.name)) leaveOut(definition, "a tool before it has the same name");
    else if (fitting.length >= limit) leaveOut(definition, tooMany);
    else {
      read.add(definition.name);
      const tool = fit(definition, profile, budget);
      if ("reason" in tool) leaveOut(definition, tool.reason);
      else fitting.push({ definition, tool });
    }
  }
  const localNames = fitting.map(({ definition }) => definition.name);
  const names = assignDeclaredNames(localNames, profile.names.value);
  const all = fitting.map((one, at) => declareTool(one, names[at] ?? one.definition.name));
  const beside = all.filter(({ name }) => !own.has(name));
  const tools = beside.slice(0, Math.max(0, limit - own.size));
  for (const { definition } of beside.slice(tools.length)) leaveOut(definition, tooMany);
  for (const { name, definition } of all) {
    if (own.has(name)) leaveOut(definition, "the product has a tool of its own with this name");
  }
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
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

/** How much of strict mode is left in one request. */
export interface StrictBudget {
  /** Whether a tool still has room; takes it where it has. */
  take(count: StrictCount): boolean;
}

/**
 * What strict mode counts over the tools of one request, from its beginning: what comes first, in
 * the order of the source, has it.
 */
function createStrictBudget({ strict }: SchemaProfile): StrictBudget {
  const most = strict?.strictTotals?.value;
  const used = { tools: 0, optional: 0, unions: 0 };
  return {
    take: ({ optional, unions }) => {
      if (most === undefined) return true;
      const fits =
        used.tools < most.tools && used.optional + optional <= most.optional && used.unions + unions <= most.unions;
      if (fits) {
        used.tools += 1;
        used.optional += optional;
        used.unions += unions;
      }
      return fits;
    },
  };
}
