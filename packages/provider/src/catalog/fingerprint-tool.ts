import type { JsonObject, RemoteTool } from "@hostside/core";
import { hashJson } from "@hostside/naming";

/**
 * The hash of the entry that a tool was read from; `undefined` where the entry could not be kept,
 * or cannot be written.
 */
export function fingerprintTool(tool: RemoteTool): string | undefined {
  if (tool.flags?.includes("extras-dropped") === true) return undefined;
  try {
    return hashJson(entryOf(tool));
  } catch {
    // Of a connector that lets in what nothing can write: nested too deep, or in a circle.
    return undefined;
  }
}

/** The entry of `tools/list` that a tool was read from. */
export function entryOf({
  name,
  title,
  description,
  inputSchema,
  outputSchema,
  annotations,
  meta,
  extras,
}: RemoteTool): JsonObject {
  const shown = { ...annotations };
  return {
    name,
    title,
    description,
    inputSchema,
    outputSchema,
    annotations: annotations && shown,
    _meta: meta,
    ...extras,
  };
}
