import type { JsonObject, JsonValue } from "@toolport/core";
import { canonicalJson, isJsonObject } from "@toolport/core/implement";
import { hashJson } from "@toolport/naming";

/** What a server offered at one time, to be compared with what it offers later. */
export interface ToolLock {
  readonly lockVersion: 1;
  /** Hash over everything below: equal locks, equal offers. */
  readonly hash: string;
  /** What the server tells models about itself; absent if nothing. */
  readonly instructions?: string;
  /** In the order of their names. */
  readonly tools: readonly LockedTool[];
}

/** A tool's definition, whole. */
export interface LockedTool {
  readonly name: string;
  /** Of the definition: name, title, description, schemas, annotations, `_meta` and whatever else it has. */
  readonly hash: string;
  readonly definition: JsonObject;
}

/** Makes a lock of what a server lists. Of tools that have the same name the first counts, and those without one are left out. */
export function lockTools(definitions: readonly JsonObject[], instructions: JsonValue | undefined): ToolLock {
  const tools = new Map<string, LockedTool>();
  for (const definition of definitions) {
    const { name } = definition;
    if (typeof name === "string" && !tools.has(name)) tools.set(name, { name, hash: hashJson(definition), definition });
  }
  const offer = {
    ...(typeof instructions === "string" && { instructions }),
    tools: Array.from(tools.values()).sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
  const hashes = offer.tools.map(({ name, hash }) => [name, hash]);
  return { lockVersion: 1, hash: hashJson([offer.instructions ?? null, hashes]), ...offer };
}

/** The text of a lock file. */
export function formatLock(lock: ToolLock): string {
  return `${JSON.stringify(lock, null, 2)}\n`;
}

/** Reads a lock file. Throws `TypeError` that says what is wrong with it, also when a hash is not that of its definition. */
export function parseLock(text: string): ToolLock {
  const value = parseJson(text);
  if (!isJsonObject(value) || value["lockVersion"] !== 1) throw new TypeError("no lock file of version 1");
  const { tools, instructions } = value;
  if (!Array.isArray(tools)) throw new TypeError("tools must be an array");
  const definitions = (tools as readonly JsonValue[]).map((tool, index) => {
    if (!isJsonObject(tool) || !isJsonObject(tool["definition"]))
      throw new TypeError(`tools[${index}] must have a definition`);
    return tool["definition"];
  });
  const lock = lockTools(definitions, instructions);
  const same = canonicalJson(toJson(lock)) === canonicalJson(value);
  if (!same) throw new TypeError("the hashes are not those of the definitions: the file was edited by hand");
  return lock;
}

// A lock is JSON: this only says so to the compiler.
function toJson(lock: ToolLock): JsonValue {
  return JSON.parse(JSON.stringify(lock)) as JsonValue;
}

function parseJson(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    throw new TypeError(`not JSON: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}
