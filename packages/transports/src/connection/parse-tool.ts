import {
  cleanText,
  truncateText,
  type JsonObject,
  type JsonValue,
  type RemoteTool,
  type ServerLimits,
  type ToolAnnotations,
  type ToolFlag,
} from "@hostside/core";
import { inspectText, isJsonObject } from "@hostside/core/implement";

/** A tool, or why there is none. */
export type ToolReading =
  | {
      readonly tool: RemoteTool;
      /** About how many UTF-16 units it has when serialised. */
      readonly length: number;
      /** The fault of its schemas, if there was one. */
      readonly problem?: string | undefined;
      readonly reason?: undefined;
    }
  | { readonly tool?: undefined; readonly name?: string; readonly reason: string };

const hints = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] as const;

/**
 * Reads one entry of a `tools/list`. Pure and total: an entry without a name that can be used gives
 * a reason. An entry that is merely odd is kept without its odd part: a title that is no string,
 * annotations of the wrong type, a schema that is none, too deep or too long. Schemas are kept as
 * the objects they are, frozen. Parts of the entry that the tool does not show are in `extras`, so
 * that no part changes in secret.
 */
export function parseTool(entry: unknown, limits: ServerLimits): ToolReading {
  if (!isJsonObject(entry)) return { reason: "it is not an object" };
  const { name, title, description, inputSchema, outputSchema, annotations, _meta: meta } = entry;
  if (typeof name !== "string") return { reason: "its name is not a string" };
  if (name === "") return { reason: "its name is empty" };
  if (name.length > limits.maxNameLength) {
    return { name: cleanText(name, 80), reason: `its name is longer than ${limits.maxNameLength} characters` };
  }
  const input = readSchema("inputSchema", inputSchema, limits);
  // An output schema is optional.
  const output =
    outputSchema === undefined || outputSchema === null ? absent : readSchema("outputSchema", outputSchema, limits);
  const problem = input.problem ?? output.problem;

  const cut = typeof description === "string" && description.length > limits.maxDescriptionLength;
  // Spreading what may be absent would be shorter; of ten thousand tools, each would hold 40 bytes
  // more.
  const tool: { -readonly [Member in keyof RemoteTool]: RemoteTool[Member] } =
    typeof description === "string"
      ? {
          name,
          description: truncateText(description, limits.maxDescriptionLength),
          inputSchema: input.schema ?? anyObject,
        }
      : { name, inputSchema: input.schema ?? anyObject };
  if (typeof title === "string") tool.title = truncateText(title, limits.maxNameLength);
  if (output.schema !== undefined) tool.outputSchema = output.schema;
  if (isJsonObject(annotations)) tool.annotations = readAnnotations(annotations, limits);
  const metaLength = isJsonObject(meta) ? measureSchema(meta, limits) : 0;
  if (isJsonObject(meta) && typeof metaLength === "number") tool.meta = meta;
  const extras = findExtras(entry, tool);
  const extrasLength = extras === undefined ? 0 : measureSchema(extras, limits);
  if (extras !== undefined && typeof extrasLength === "number") tool.extras = extras;
  const dropped = typeof extrasLength !== "number";
  const flags = flagsOf([name, title, description, tool.annotations?.title, ...input.odd, ...output.odd], {
    cut,
    replaced: problem !== undefined,
    dropped,
  });
  if (flags.length > 0) tool.flags = flags;
  const length =
    name.length +
    (tool.description?.length ?? 0) +
    input.length +
    output.length +
    (typeof metaLength === "number" ? metaLength : 0) +
    (typeof extrasLength === "number" ? extrasLength : 0);
  return { tool, length, problem };
}

interface SchemaReading {
  readonly schema: JsonObject | undefined;
  readonly length: number;
  readonly problem?: string;
  /** Texts in it that are to be inspected. */
  readonly odd: readonly string[];
}

const absent: SchemaReading = { schema: undefined, length: 0, odd: [] };

// What stands for a schema that says nothing that can be used.
const anyObject: JsonObject = Object.freeze({ type: "object" });

function readSchema(member: string, schema: unknown, limits: ServerLimits): SchemaReading {
  if (!isJsonObject(schema)) return { ...absent, problem: `its ${member} is not an object` };
  const nodes: object[] = [];
  const measured = measureSchema(schema, limits, nodes);
  if (typeof measured === "string") return { ...absent, problem: measured };
  const odd: string[] = [];
  for (const node of nodes) {
    Object.freeze(node);
    for (const name in node) {
      const member: unknown = Reflect.get(node, name);
      if (typeof member === "string" && mayBeOdd.test(member)) odd.push(member);
      if (mayBeOdd.test(name)) odd.push(name);
    }
  }
  return { schema, length: measured, odd };
}

const mayBeOdd = /[^\0-\u00AC]/;

function readAnnotations(annotations: JsonObject, limits: ServerLimits): ToolAnnotations {
  const { title } = annotations;
  const known: { -readonly [Member in keyof ToolAnnotations]: ToolAnnotations[Member] } = {};
  if (typeof title === "string") known.title = truncateText(title, limits.maxNameLength);
  for (const hint of hints) {
    const value = annotations[hint];
    if (typeof value === "boolean") known[hint] = value;
  }
  return isSame(annotations, known) ? annotations : known;
}

// What is shown as it is needs no second object, and nothing beside it.
function isSame(annotations: JsonObject, known: ToolAnnotations): annotations is JsonObject & ToolAnnotations {
  for (const member in annotations) {
    if (!Object.hasOwn(known, member) || annotations[member] !== Reflect.get(known, member)) return false;
  }
  return true;
}

/** The members of an entry that the tool does not show as they are, if there are any. */
function findExtras(entry: JsonObject, tool: RemoteTool): JsonObject | undefined {
  let extras: [string, JsonValue | undefined][] | undefined;
  // A loop that makes nothing: most entries of most servers have no extras.
  for (const member in entry) {
    const value = entry[member];
    if (value !== undefined && value !== Reflect.get(tool, member === "_meta" ? "meta" : member))
      (extras ??= []).push([member, value]);
  }
  // A tool always has a schema; that there was none is worth knowing, too.
  if (entry["inputSchema"] === undefined) (extras ??= []).push(["inputSchema", undefined]);
  return extras && Object.fromEntries(extras);
}

function flagsOf(
  texts: readonly unknown[],
  { cut, replaced, dropped }: { readonly cut: boolean; readonly replaced: boolean; readonly dropped: boolean },
): readonly ToolFlag[] {
  const flags: ToolFlag[] = [];
  for (const text of texts) {
    if (typeof text !== "string") continue;
    for (const flag of inspectText(text)) flags.push(flag);
  }
  if (cut) flags.push("truncated");
  if (replaced) flags.push("schema-replaced");
  if (dropped) flags.push("extras-dropped");
  return flags.length < 2 ? flags : Array.from(new Set(flags));
}

/** The limits of a schema. */
export type SchemaLimits = Pick<ServerLimits, "maxSchemaDepth" | "maxSchemaLength">;

/**
 * About how many UTF-16 units a schema has when serialised, or why it is too much to handle: nested
 * deeper than `maxSchemaDepth` or longer than `maxSchemaLength`. It stops at the first limit that
 * is passed. Puts it, and every object and array in it, into `nodes`: whoever wants to see them all
 * needs no walk of their own.
 */
export function measureSchema(
  schema: object,
  { maxSchemaDepth, maxSchemaLength }: SchemaLimits,
  nodes: object[] = [],
): number | string {
  // Without what escaping adds to strings, so never more than the serialised length.
  let length = 0;
  nodes.push(schema);
  // Level by level.
  for (let depth = 1, at = 0; at < nodes.length; depth += 1) {
    if (depth > maxSchemaDepth) return `its schema is nested deeper than ${maxSchemaDepth} levels`;
    for (const end = nodes.length; at < end; at += 1) {
      length += measureMembers(nodes[at], nodes);
      if (length > maxSchemaLength) return tooLong(maxSchemaLength);
    }
  }
  // Escaping turns one unit into six at most (`\u0000`); only a schema in between has to be
  // serialised to know.
  const longestPossible = length * 6;
  const isTooLong = longestPossible > maxSchemaLength && JSON.stringify(schema).length > maxSchemaLength;
  return isTooLong ? tooLong(maxSchemaLength) : length;
}

function tooLong(maxSchemaLength: number): string {
  return `its schema is longer than ${maxSchemaLength} characters`;
}

// The length of a node's own brackets, keys and plain values; its objects and arrays go to `nodes`.
// Written out, and without lists: it runs over all schemas of a listing, which are read before the
// engine has compiled any of this.
function measureMembers(node: unknown, nodes: object[]): number {
  let length = 1;
  if (Array.isArray(node)) {
    const items: readonly unknown[] = node;
    for (const item of items) {
      if (typeof item === "string") length += item.length + 3;
      else if (typeof item !== "object" || item === null) length += String(item).length + 1;
      else {
        nodes.push(item);
        length += 1;
      }
    }
  } else if (isJsonObject(node)) {
    for (const key in node) {
      const value = node[key];
      length += key.length + 4;
      if (typeof value === "string") length += value.length + 2;
      else if (typeof value !== "object" || value === null) length += String(value).length;
      else nodes.push(value);
    }
  }
  // Each member comes with a comma, or the last bracket.
  return length === 1 ? 2 : length;
}
