import type { JsonObject, RemoteTool, ToolDefinition } from "@toolport/core";
import { freezeData } from "@toolport/core/implement";
import { hashJson } from "@toolport/naming";

// A member, because a table of ten thousand of them would be larger, and slow to collect garbage around.
const source: unique symbol = Symbol("source");

/** A definition that knows what it was made from. A copy of one does not. */
export interface Sourced {
  readonly [source]: RemoteTool;
}

/** What somebody asked for. */
const known = new WeakMap<ToolDefinition, string>();

// One for all definitions, so that the ten thousandth is as small as the first.
const lazily: PropertyDescriptorMap & ThisType<ToolDefinition & Partial<Sourced>> = {
  fingerprint: {
    get() {
      const tool = this[source];
      const fingerprint = known.get(this) ?? (tool && fingerprintTool(tool));
      if (fingerprint !== undefined) known.set(this, fingerprint);
      return fingerprint;
    },
  },
  entry: {
    get() {
      const tool = this[source];
      return tool === undefined || this.fingerprint === undefined ? undefined : freezeData(entryOf(tool));
    },
  },
};

/** Gives a definition fingerprint and entry of the tool that it was made from. They cost something when they are read, and nothing before. */
export function withFingerprint<T extends ToolDefinition>(definition: T, tool: RemoteTool): T & Sourced {
  const sourced = Object.defineProperty(definition, source, { value: tool });
  return Object.defineProperties(sourced, lazily) as T & Sourced;
}

/** The tool that a definition was made from. */
export function toolOf(definition: Sourced): RemoteTool {
  return definition[source];
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
