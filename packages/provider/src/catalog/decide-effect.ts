import type { RemoteTool, ServerSpec, ToolEffect, ToolOverride } from "@toolport/core";

/** What the host says of a tool in its server's spec, if anything. */
export function overrideOf({ tools }: ServerSpec, toolName: string): ToolOverride | undefined {
  // A server may call a tool as every object has a member.
  return tools !== undefined && Object.hasOwn(tools, toolName) ? tools[toolName] : undefined;
}

/**
 * What a tool does, as the host knows it: its own word first; else, where it trusts the server, what the server's hints say; else
 * `"external"`. Hints that are missing mean the worst that they can mean, and so do hints that contradict each other: a tool that changes
 * something reaches beyond the server unless `openWorldHint` is `false`, and "read-only" beside "destructive" says nothing.
 */
export function decideEffect({ name, annotations = {} }: RemoteTool, spec: ServerSpec): ToolEffect {
  const said = overrideOf(spec, name)?.effect;
  if (said !== undefined) return said;
  if (spec.trustAnnotations !== true) return "external";
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = annotations;
  if (readOnlyHint === true) return destructiveHint === true ? "external" : "pure";
  if (idempotentHint === true) return "idempotent-write";
  return openWorldHint === false ? "non-idempotent-write" : "external";
}
