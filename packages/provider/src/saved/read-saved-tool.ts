import type { JsonObject, RemoteTool, ServerInfo, ServerLimits, ToolFlag } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";

/**
 * Reads a tool as it was saved; `at` says where it stands. Throws an `Error` that says what is
 * wrong.
 */
export function readSavedTool(saved: unknown, at: string, limits: ServerLimits): RemoteTool {
  // A tool and its member, around a schema.
  if (isDeeper(saved, limits.maxSchemaDepth + 4)) throw new Error(`${at} is nested too deeply`);
  const { extras, absent, ...tool } = readMembers(saved, at, {
    name: limits.maxNameLength,
    title: limits.maxNameLength,
    description: limits.maxDescriptionLength,
    inputSchema: isJsonObject,
    outputSchema: isJsonObject,
    annotations: areAnnotations,
    meta: isJsonObject,
    extras: isJsonObject,
    absent: areTexts,
    flags: (flags) => areTexts(flags) && flags.every((flag) => Object.hasOwn(flagNames, flag)),
  });
  if (tool["name"] === undefined || tool["name"] === "") throw new Error(`${at}.name is not a text`);
  if (tool["inputSchema"] === undefined) throw new Error(`${at}.inputSchema is not an object`);
  const missing = areTexts(absent) ? absent.map((member) => [member, undefined] as const) : [];
  const all = [...Object.entries(extras ?? {}), ...missing];
  return { ...tool, ...(all.length > 0 && { extras: Object.fromEntries(all) }) } as unknown as RemoteTool;
}

/** Reads what a server said of itself. Throws as {@linkcode readSavedTool}. */
export function readSavedServer(saved: unknown, { maxServerTextLength: most }: ServerLimits): ServerInfo {
  const server = readMembers(saved, "server", {
    era: (era) => era === "legacy" || era === "modern",
    httpMode: (mode) => mode === "streamable" || mode === "sse",
    protocolVersion: 256,
    capabilities: (given) => isJsonObject(given) && JSON.stringify(given).length <= 2 * most,
    ...Object.fromEntries(["name", "title", "version", "description", "instructions"].map((text) => [text, most])),
  });
  for (const member of ["era", "protocolVersion", "capabilities"]) {
    if (server[member] === undefined) throw new Error(`server.${member} is missing`);
  }
  return server as unknown as ServerInfo;
}

/** A member is a text of at most so many UTF-16 units, or what a test says. */
type Members = Readonly<Record<string, number | ((value: unknown) => boolean)>>;

/** Reads the members that are known, and leaves out all others. */
function readMembers(saved: unknown, at: string, members: Members): JsonObject {
  if (!isJsonObject(saved)) throw new Error(`${at} is not an object`);
  const known = Object.entries(members).filter(([member]) => saved[member] !== undefined);
  for (const [member, test] of known) {
    const value = saved[member];
    if (typeof test === "function" ? !test(value) : typeof value !== "string") {
      throw new Error(`${at}.${member} ${test === isJsonObject ? "is not an object" : "cannot be used"}`);
    }
    // What was cut may end in a mark.
    if (typeof test === "number" && typeof value === "string" && value.length > test + 16) {
      throw new Error(`${at}.${member} is longer than ${test} characters`);
    }
  }
  return Object.fromEntries(known.map(([member]) => [member, saved[member]]));
}

const hints: ReadonlySet<string> = new Set(["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"]);

function areAnnotations(value: unknown): boolean {
  return (
    isJsonObject(value) &&
    Object.entries(value).every(([name, hint]) =>
      name === "title" ? typeof hint === "string" : hints.has(name) && typeof hint === "boolean",
    )
  );
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

function areTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((text) => typeof text === "string");
}

// Goes by a list of its own: what is too deep must not exhaust the stack that finds it out.
function isDeeper(value: unknown, most: number): boolean {
  const waiting: (readonly [node: unknown, depth: number])[] = [[value, 1]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [node, depth] = next;
    if (typeof node !== "object" || node === null) continue;
    if (depth > most) return true;
    for (const member of Object.values(node)) waiting.push([member, depth + 1]);
  }
  return false;
}
