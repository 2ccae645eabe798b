import { truncateText, type JsonObject, type ToolDefinition } from "@hostside/core";
import { adaptSchema } from "../schema/adapt-schema.ts";
import type { SchemaProfile } from "../schema/schema-profile.ts";
import { assignDeclaredNames } from "./assign-declared-names.ts";

/** A tool as one model API takes it. */
export interface DeclaredTool {
  /** Legal for the API, and unique among the tools that are declared with it. */
  readonly name: string;
  readonly description: string;
  /** The input schema in what the API takes of JSON Schema. */
  readonly inputSchema: JsonObject;
  readonly definition: ToolDefinition;
  /** The changes of the schema, in words; empty where it is the server's own. */
  readonly changes: readonly string[];
  /** Gives the arguments that the model wrote the names that the tool's server knows. */
  restore(args: unknown): unknown;
}

/** A tool that an API would refuse, with the whole request. It is not declared. */
export interface LeftOutTool {
  readonly definition: ToolDefinition;
  readonly reason: string;
}

/** The tools of one request to a model API. */
export interface Declaration {
  /** In the order of the source. */
  readonly tools: readonly DeclaredTool[];
  readonly leftOut: readonly LeftOutTool[];
  /** By the name that was declared; `undefined` for one that was not. */
  find(name: string): DeclaredTool | undefined;
}

/** Which tools are declared. */
export interface DeclareRules {
  readonly maxTools?: number | undefined;
  /** Names of the product's own tools. No other tool is declared by them. */
  readonly own: ReadonlySet<string>;
}

/**
 * Definitions as one model API takes them: in their order, under legal names, with schemas that the
 * API does not refuse. A tool that it would refuse anyway is left out, with a reason.
 */
export function declareDefinitions(
  definitions: readonly ToolDefinition[],
  profile: SchemaProfile,
  { maxTools, own }: DeclareRules,
): Declaration {
  const limit = maxTools ?? profile.maxTools ?? Number.POSITIVE_INFINITY;
  const tooMany = `one request takes at most ${limit} tools${own.size > 0 ? ", the product's own included" : ""}`;
  const fitting: AdaptedTool[] = [];
  const leftOut: LeftOutTool[] = [];
  const read = new Set<string>();
  for (const definition of definitions) {
    const tool = read.has(definition.name) ? undefined : adaptTool(definition, profile);
    if (tool === undefined) leftOut.push({ definition, reason: "a tool before it has the same name" });
    else if ("reason" in tool) leftOut.push(tool);
    else fitting.push(tool);
    read.add(definition.name);
  }
  const names = assignDeclaredNames(
    fitting.map(({ definition }) => definition.name),
    profile.names,
  );
  const tools: DeclaredTool[] = [];
  for (const [at, tool] of fitting.entries()) {
    const { definition } = tool;
    const name = names[at] ?? definition.name;
    if (own.has(name)) leftOut.push({ definition, reason: "the product has a tool of its own with this name" });
    else if (tools.length + own.size >= limit) leftOut.push({ definition, reason: tooMany });
    else tools.push({ ...tool, name });
  }
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  return { tools, leftOut, find: (name) => byName.get(name) };
}

type AdaptedTool = Omit<DeclaredTool, "name">;

const adapted = new WeakMap<ToolDefinition, WeakMap<SchemaProfile, AdaptedTool | LeftOutTool>>();

// Kept as long as the definition, so that declaring the same tools again costs next to nothing.
function adaptTool(definition: ToolDefinition, profile: SchemaProfile): AdaptedTool | LeftOutTool {
  const byProfile = adapted.get(definition) ?? new WeakMap<SchemaProfile, AdaptedTool | LeftOutTool>();
  adapted.set(definition, byProfile);
  const tool = byProfile.get(profile) ?? adapt(definition, profile);
  byProfile.set(profile, tool);
  return tool;
}

function adapt(definition: ToolDefinition, profile: SchemaProfile): AdaptedTool | LeftOutTool {
  const schema = adaptSchema(definition.inputSchema, profile);
  if (!schema.ok) return { definition, reason: schema.reason };
  const longest = profile.maxDescriptionLength ?? Number.POSITIVE_INFINITY;
  const description = truncateText(definition.description.toWellFormed(), longest);
  const isCut = description.length < definition.description.length;
  const changes = isCut ? [...schema.changes, `the description cut to ${longest} characters`] : schema.changes;
  return {
    definition,
    description,
    inputSchema: schema.schema,
    changes,
    restore: (args) => schema.restore(args),
  };
}
