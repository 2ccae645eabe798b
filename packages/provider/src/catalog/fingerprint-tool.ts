import type { JsonObject, RemoteTool, ToolDefinition } from "@toolport/core";
import { freezeData } from "@toolport/core/implement";
import { hashJson } from "@toolport/naming";

/** Of each definition the tool that it was made from, and the fingerprint once somebody asked for it. */
const sources = new WeakMap<
  ToolDefinition,
  { readonly tool: RemoteTool; readonly known?: { readonly fingerprint: string | undefined } }
>();

// One for all definitions, so that the ten thousandth is as small as the first.
const lazily: PropertyDescriptorMap & ThisType<ToolDefinition> = {
  fingerprint: {
    get() {
      const source = sources.get(this);
      if (source === undefined) return undefined;
      if (source.known !== undefined) return source.known.fingerprint;
      const fingerprint = fingerprintTool(source.tool);
      sources.set(this, { tool: source.tool, known: { fingerprint } });
      return fingerprint;
    },
  },
  entry: {
    get() {
      const source = sources.get(this);
      return source === undefined || this.fingerprint === undefined ? undefined : freezeData(entryOf(source.tool));
    },
  },
};

/** Gives a definition fingerprint and entry of the tool that it was made from. They cost something when they are read, and nothing before. */
export function withFingerprint<T extends ToolDefinition>(definition: T, tool: RemoteTool): T {
  sources.set(definition, { tool });
  return Object.defineProperties(definition, lazily);
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
