import {
  cleanText,
  inspectText,
  isJsonObject,
  truncateText,
  type JsonObject,
  type RemoteTool,
  type ServerLimits,
  type TextFlag,
  type ToolAnnotations,
} from "@toolport/core";
import { findSchemaExcess } from "./measure-schema.ts";

/** A tool, or why there is none. */
export type ToolReading =
  | { readonly tool: RemoteTool; readonly reason?: undefined }
  | { readonly tool?: undefined; readonly name?: string; readonly reason: string };

const hints = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] as const;

/**
 * Reads one entry of a `tools/list`. Pure and total: an entry that is no usable tool gives a reason. What is merely odd is kept
 * without its odd part: a title that is no string, annotations of the wrong type. Schemas are kept as the objects they are.
 */
export function parseTool(entry: unknown, limits: ServerLimits): ToolReading {
  if (!isJsonObject(entry)) return { reason: "it is not an object" };
  const { name, title, description, inputSchema, outputSchema, annotations, _meta: meta } = entry;
  if (typeof name !== "string") return { reason: "its name is not a string" };
  if (name === "") return { reason: "its name is empty" };
  if (name.length > limits.maxNameLength) {
    return { name: cleanText(name, 80), reason: `its name is longer than ${limits.maxNameLength} characters` };
  }
  if (!isJsonObject(inputSchema)) return { name, reason: "its inputSchema is not an object" };
  if (outputSchema !== undefined && outputSchema !== null && !isJsonObject(outputSchema)) {
    return { name, reason: "its outputSchema is not an object" };
  }
  const excess =
    findSchemaExcess(inputSchema, limits) ?? (outputSchema ? findSchemaExcess(outputSchema, limits) : undefined);
  if (excess !== undefined) return { name, reason: excess };

  const cut = typeof description === "string" && description.length > limits.maxDescriptionLength;
  const flags = flagsOf([name, title, description], cut);
  // Spreading what may be absent would be shorter; of ten thousand tools, each would hold 40 bytes more.
  const tool: { -readonly [Member in keyof RemoteTool]: RemoteTool[Member] } =
    typeof description === "string"
      ? { name, description: truncateText(description, limits.maxDescriptionLength), inputSchema }
      : { name, inputSchema };
  if (typeof title === "string") tool.title = truncateText(title, limits.maxNameLength);
  if (outputSchema) tool.outputSchema = outputSchema;
  if (isJsonObject(annotations)) tool.annotations = readAnnotations(annotations, limits);
  if (isJsonObject(meta) && findSchemaExcess(meta, limits) === undefined) tool.meta = meta;
  if (flags.length > 0) tool.flags = flags;
  return { tool };
}

function readAnnotations(annotations: JsonObject, limits: ServerLimits): ToolAnnotations {
  const { title } = annotations;
  const known: { -readonly [Member in keyof ToolAnnotations]: ToolAnnotations[Member] } = {};
  if (typeof title === "string") known.title = truncateText(title, limits.maxNameLength);
  for (const hint of hints) {
    const value = annotations[hint];
    if (typeof value === "boolean") known[hint] = value;
  }
  return known;
}

function flagsOf(texts: readonly unknown[], cut: boolean): readonly TextFlag[] {
  const flags: TextFlag[] = [];
  for (const text of texts) if (typeof text === "string") flags.push(...inspectText(text));
  if (cut) flags.push("truncated");
  return flags.length < 2 ? flags : Array.from(new Set(flags));
}
