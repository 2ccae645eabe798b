import type { JsonObject, RemoteTool, ToolDefinition } from "@toolport/core";
import { hashJson } from "@toolport/naming";

/** Of each definition the tool that it was made from, or, once somebody asked for it, the fingerprint. */
const sources = new WeakMap<
  ToolDefinition,
  { readonly tool: RemoteTool } | { readonly fingerprint: string | undefined }
>();

// One for all definitions, so that the ten thousandth is as small as the first.
const lazily: PropertyDescriptor & ThisType<ToolDefinition> = {
  get() {
    const source = sources.get(this);
    if (source === undefined) return undefined;
    if ("fingerprint" in source) return source.fingerprint;
    const fingerprint = fingerprintTool(source.tool);
    sources.set(this, { fingerprint });
    return fingerprint;
  },
};

/** Gives a definition the fingerprint of the tool that it was made from. It costs a hash when it is read for the first time. */
export function withFingerprint<T extends ToolDefinition>(definition: T, tool: RemoteTool): T {
  sources.set(definition, { tool });
  return Object.defineProperty(definition, "fingerprint", lazily);
}

function fingerprintTool(tool: RemoteTool): string | undefined {
  if (tool.flags?.includes("extras-dropped") === true) return undefined;
  try {
    return hashJson(entryOf(tool));
  } catch {
    // Of a connector that lets in what nothing can write: nested too deep, or in a circle.
    return undefined;
  }
}

/** The entry of `tools/list` that a tool was read from. */
function entryOf({
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
