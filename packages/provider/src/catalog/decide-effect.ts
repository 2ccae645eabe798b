import type { RemoteTool, ServerSpec, ToolDefinition, ToolEffect, ToolOverride } from "@hostside/core";
import { effectOfHints } from "@hostside/core/implement";

/** What the host says of a tool in its server's spec, if anything. */
export function overrideOf({ tools }: ServerSpec, toolName: string): ToolOverride | undefined {
  // A server may call a tool as every object has a member.
  return tools !== undefined && Object.hasOwn(tools, toolName) ? tools[toolName] : undefined;
}

/**
 * What a tool does, as the host knows it, and who says so: its own word first; else, where it
 * trusts the server, what the server's hints say; else `"external"`, which nobody has said.
 */
export function decideEffect(
  { name, annotations = {} }: RemoteTool,
  spec: ServerSpec,
): { readonly effect: ToolEffect } & Pick<ToolDefinition, "effectSource"> {
  const said = overrideOf(spec, name)?.effect;
  if (said !== undefined) return { effect: said, effectSource: "host" };
  if (spec.trustAnnotations !== true) return { effect: "external" };
  return { effect: effectOfHints(annotations), effectSource: "hints" };
}
