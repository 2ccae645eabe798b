import type { ToolCall, ToolDefinition } from "@hostside/core";
import { sameJson } from "@hostside/core/implement";

/**
 * What the call is held to once its definition was approved; `undefined` when its caller has
 * selected another one, which nobody can approve by looking at this one.
 */
export function holdToDefinition({ definition, options: { selected } }: ToolCall): ToolDefinition | undefined {
  if (selected === undefined || selected === definition) return definition;
  if (!readsTheSame(selected, definition)) return undefined;
  // The one of an earlier registration reads the same, and its provider knows it by this very
  // object. A copy says nothing of the kind.
  return "fingerprint" in selected ? selected : definition;
}

// A toolbox cuts texts and flags them; the caller's one is as its provider has it.
function readsTheSame(selected: ToolDefinition, { flags = [], ...definition }: ToolDefinition): boolean {
  const isCut = flags.includes("truncated");
  return (
    isText(selected.description, definition.description, isCut) &&
    isText(selected.title ?? "", definition.title ?? "", isCut) &&
    sameJson(comparable(selected), comparable(definition))
  );
}

function isText(selected: string, shown: string, isCut: boolean): boolean {
  return selected === shown || (isCut && shown.endsWith("…") && selected.startsWith(shown.slice(0, -1)));
}

function comparable({
  name,
  inputSchema,
  outputSchema,
  annotations,
  effect,
  requireApproval,
  origin,
}: ToolDefinition): object {
  return { name, inputSchema, outputSchema, annotations, effect, requireApproval, origin };
}
