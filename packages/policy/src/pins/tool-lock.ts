import type { JsonObject, JsonValue, ServerWords } from "@hostside/core";
import { canonicalJson, isJsonObject, serverWords, type ClaimedWords } from "@hostside/core/implement";
import { hashJson } from "@hostside/naming";
import { findLine, lineAt } from "./find-line.ts";

/** What a server offered at one time, to be compared with what it offers later. */
export interface ToolLock {
  readonly lockVersion: 1;
  /** Hash over everything below: equal locks, equal offers. */
  readonly hash: string;
  /** What the server tells models about itself. Absent: that is not locked. */
  readonly server?: ServerWords;
  /** In the order of their names. */
  readonly tools: readonly LockedTool[];
}

/** A tool's definition, whole. */
export interface LockedTool {
  readonly name: string;
  /**
   * Of the definition: name, title, description, schemas, annotations, `_meta` and whatever else it
   * has.
   */
  readonly hash: string;
  readonly definition: JsonObject;
}

/**
 * Makes a lock of what a server lists, and of what it says of itself. Of tools that have the same
 * name the first counts, and those without one are left out.
 */
export function lockTools(definitions: readonly JsonObject[], server: ClaimedWords | undefined): ToolLock {
  const tools = new Map<string, LockedTool>();
  for (const definition of definitions) {
    const { name } = definition;
    if (typeof name === "string" && !tools.has(name)) tools.set(name, { name, hash: hashJson(definition), definition });
  }
  const offer = {
    ...(server !== undefined && { server: serverWords(server) }),
    tools: Array.from(tools.values()).sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
  const hashes = offer.tools.map(({ name, hash }) => [name, hash]);
  return {
    lockVersion: 1,
    hash: hashJson([offer.server === undefined ? null : { ...offer.server }, hashes]),
    ...offer,
  };
}

/** The text of a lock file. */
export function formatLock(lock: ToolLock): string {
  return `${JSON.stringify(lock, null, 2)}\n`;
}

/**
 * Reads a lock file. Throws `TypeError` that says what is wrong with it, where and on which line,
 * also when a hash is not that of its definition.
 */
export function parseLock(text: string): ToolLock {
  const value = parseJson(text);
  const fail = (problem: string, ...path: readonly (string | number)[]): TypeError =>
    new TypeError(`${problem} (line ${findLine(text, path)})`);
  if (!isJsonObject(value) || value["lockVersion"] !== 1) throw fail("no lock file of version 1", "lockVersion");
  const { tools, server } = value;
  if (!isList(tools)) throw fail("tools must be an array", "tools");
  const definitions = tools.map((tool, index) => {
    const definition = isJsonObject(tool) ? tool["definition"] : undefined;
    if (!isJsonObject(definition)) throw fail(`tools[${index}] must have a definition`, "tools", index);
    return definition;
  });
  const lock = lockTools(definitions, isJsonObject(server) ? server : undefined);
  if (canonicalJson(toJson(lock)) === canonicalJson(value)) return lock;
  const edited = tools.findIndex((tool, index) => {
    const definition = definitions[index];
    return isJsonObject(tool) && definition !== undefined && tool["hash"] !== hashJson(definition);
  });
  if (edited < 0) throw fail("the hashes are not those of the definitions: the file was edited by hand", "hash");
  throw fail(`tools[${edited}].hash is not that of its definition: the file was edited by hand`, "tools", edited);
}

function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

// A lock is JSON: this only says so to the compiler.
function toJson(lock: ToolLock): JsonValue {
  return JSON.parse(JSON.stringify(lock)) as JsonValue;
}

function parseJson(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    // Some runtimes say the line themselves, some the position, and some neither.
    const position = / at position (\d+)/.exec(message)?.[1];
    const line = position === undefined || message.includes("line") ? "" : ` (line ${lineAt(text, Number(position))})`;
    throw new TypeError(`not JSON: ${message}${line}`, { cause: error });
  }
}
