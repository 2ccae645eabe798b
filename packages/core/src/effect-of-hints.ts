import type { ToolAnnotations, ToolEffect } from "./tool.ts";

/**
 * What the hints of a server say that its tool does; only for a server that the host trusts. Hints
 * that are missing mean the worst that they can mean, and so do hints that contradict each other: a
 * tool that changes something reaches beyond the server unless `openWorldHint` is `false`, and
 * "read-only" beside "destructive" says nothing.
 */
export function effectOfHints({
  readOnlyHint,
  destructiveHint,
  idempotentHint,
  openWorldHint,
}: ToolAnnotations): ToolEffect {
  if (readOnlyHint === true) return destructiveHint === true ? "external" : "pure";
  if (idempotentHint === true) return "idempotent-write";
  return openWorldHint === false ? "non-idempotent-write" : "external";
}
