import type {
  JsonObject,
  JsonValue,
  RemoteTool,
  ServerInfo,
  ServerLimits,
  ToolAnnotations,
  ToolFlag,
} from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";

/**
 * Reads a tool as it was saved; `at` says where it stands. Throws an `Error` that says what is
 * wrong.
 */
export function readSavedTool(saved: unknown, at: string, limits: ServerLimits): RemoteTool {
  if (!isJsonObject(saved)) throw new Error(`${at} is not an object`);
  // A tool and its member, around a schema.
  if (isDeeper(saved, limits.maxSchemaDepth + 4)) throw new Error(`${at} is nested too deeply`);
  const name = textOf(saved, "name", { at, most: limits.maxNameLength });
  if (name === undefined || name === "") throw new Error(`${at}.name is not a text`);
  const title = textOf(saved, "title", { at, most: limits.maxNameLength });
  const description = textOf(saved, "description", { at, most: limits.maxDescriptionLength });
  const inputSchema = objectOf(saved, "inputSchema", at);
  if (inputSchema === undefined) throw new Error(`${at}.inputSchema is not an object`);
  const outputSchema = objectOf(saved, "outputSchema", at);
  const annotations = objectOf(saved, "annotations", at);
  const meta = objectOf(saved, "meta", at);
  const extras = extrasOf(saved, at);
  const flags = flagsOf(saved["flags"], at);
  return {
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    inputSchema,
    ...(outputSchema !== undefined && { outputSchema }),
    ...(annotations !== undefined && { annotations: readAnnotations(annotations, at) }),
    ...(meta !== undefined && { meta }),
    ...(extras !== undefined && { extras }),
    ...(flags !== undefined && { flags }),
  };
}

/** Reads what a server said of itself. Throws as {@linkcode readSavedTool}. */
export function readSavedServer(saved: unknown, { maxServerTextLength: most }: ServerLimits): ServerInfo {
  const at = "server";
  if (!isJsonObject(saved)) throw new Error("server is not an object");
  const { era, httpMode } = saved;
  if (era !== "legacy" && era !== "modern") throw new Error('server.era is neither "legacy" nor "modern"');
  if (httpMode !== undefined && httpMode !== "streamable" && httpMode !== "sse")
    throw new Error("server.httpMode is none");
  const protocolVersion = textOf(saved, "protocolVersion", { at, most: 256 });
  const capabilities = objectOf(saved, "capabilities", at);
  if (protocolVersion === undefined) throw new Error("server.protocolVersion is not a text");
  if (capabilities === undefined || JSON.stringify(capabilities).length > 2 * most) {
    throw new Error("server.capabilities is not an object, or too large");
  }
  const texts = ["name", "title", "version", "description", "instructions"] as const;
  const said = texts.map((member) => [member, textOf(saved, member, { at, most })] as const);
  return {
    era,
    protocolVersion,
    ...(httpMode !== undefined && { httpMode }),
    ...Object.fromEntries(said.filter(([, text]) => text !== undefined)),
    capabilities,
  };
}

function textOf(
  saved: JsonObject,
  member: string,
  { at, most }: { readonly at: string; readonly most: number },
): string | undefined {
  const value = saved[member];
  if (value === undefined) return undefined;
  if (typeof value !== "string") throw new Error(`${at}.${member} is not a text`);
  // What was cut may end in a mark.
  if (value.length > most + 16) throw new Error(`${at}.${member} is longer than ${most} characters`);
  return value;
}

function objectOf(saved: JsonObject, member: string, at: string): JsonObject | undefined {
  const value = saved[member];
  if (value === undefined || isJsonObject(value)) return value;
  throw new Error(`${at}.${member} is not an object`);
}

const hints: ReadonlySet<string> = new Set(["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"]);

function readAnnotations(annotations: JsonObject, at: string): ToolAnnotations {
  for (const [name, value] of Object.entries(annotations)) {
    const isGood = name === "title" ? typeof value === "string" : hints.has(name) && typeof value === "boolean";
    if (!isGood) throw new Error(`${at}.annotations has something that is none`);
  }
  return annotations;
}

function extrasOf(saved: JsonObject, at: string): JsonObject | undefined {
  const extras = objectOf(saved, "extras", at);
  const { absent = [] } = saved;
  if (!Array.isArray(absent) || !absent.every((member) => typeof member === "string")) {
    throw new Error(`${at}.absent is no list of names`);
  }
  if (extras === undefined && absent.length === 0) return undefined;
  const missing = absent.map((member): readonly [string, undefined] => [member, undefined]);
  return Object.fromEntries<JsonValue | undefined>([...Object.entries(extras ?? {}), ...missing]);
}

const flagNames: { readonly [Flag in ToolFlag]: true } = {
  ansi: true,
  bidi: true,
  control: true,
  "extras-dropped": true,
  invisible: true,
  "lone-surrogate": true,
  "schema-replaced": true,
  tag: true,
  truncated: true,
};

function flagsOf(flags: unknown, at: string): readonly ToolFlag[] | undefined {
  if (flags === undefined) return undefined;
  if (Array.isArray(flags) && flags.every((flag) => typeof flag === "string" && Object.hasOwn(flagNames, flag)))
    return flags;
  throw new Error(`${at}.flags is no list of flags`);
}

// Goes by a list of its own: what is too deep must not exhaust the stack that finds it out.
function isDeeper(value: JsonObject, most: number): boolean {
  const waiting: (readonly [node: object, depth: number])[] = [[value, 1]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [node, depth] = next;
    if (depth > most) return true;
    for (const member of Object.values(node)) {
      if (typeof member === "object" && member !== null) waiting.push([member, depth + 1]);
    }
  }
  return false;
}
