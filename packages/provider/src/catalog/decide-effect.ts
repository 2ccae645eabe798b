import type { RemoteTool, ServerSpec, ToolEffect, ToolOverride } from "@toolport/core";
import { effectOfHints } from "@toolport/core/implement";

/** What the host says of a tool in its server's spec, if anything. */
export function overrideOf({ tools }: ServerSpec, toolName: string): ToolOverride | undefined {
  // A server may call a tool as every object has a member.
  return tools !== undefined && Object.hasOwn(tools, toolName) ? tools[toolName] : undefined;
}

/** What a tool does, as the host knows it: its own word first; else, where it trusts the server, what the server's hints say; else `"external"`. */
export function decideEffect({ name, annotations = {} }: RemoteTool, spec: ServerSpec): ToolEffect {
  const said = overrideOf(spec, name)?.effect;
  if (said !== undefined) return said;
  if (spec.trustAnnotations !== true) return "external";
  return effectOfHints(annotations);
}
