import type { JsonObject, ServerWords } from "@hostside/core";
import { isJsonObject, sameJson, serverWords } from "@hostside/core/implement";
import { hashJson } from "@hostside/naming";

type ClaimedWords = Parameters<typeof serverWords>[0];

/** The offer of a server at one time, to be compared with later ones. */
export interface ToolLock {
  readonly lockVersion: 1;
  /** Hash over everything below: equal locks, equal offers. */
  readonly hash: string;
  /** The words of the server to models. Absent: they are not locked. */
  readonly server?: ServerWords;
  /** In the order of their names. */
  readonly tools: readonly LockedTool[];
}

/** A tool's definition, whole. */
export interface LockedTool {
  readonly name: string;
  /**
   * The hash of the definition: name, title, description, schemas, annotations, `_meta` and
   * whatever else it has.
   */
  readonly hash: string;
  readonly definition: JsonObject;
}

/**
 * Makes a lock of what a server lists, and of what it says of itself. If several tools have the
 * same name, the first counts. Tools without a name are left out.
 *
 * @example
 * const lock = lockTools(definitions, undefined);
 * await writeFile("mcp-lock.json", formatLock(lock));
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
 * Reads a lock file. Throws `TypeError` that says what is wrong with it and where, also when a hash
 * is not that of its definition.
 */
export function parseLock(text: string): ToolLock {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new TypeError(`not JSON: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
  if (!isJsonObject(value) || value["lockVersion"] !== 1) throw new TypeError("no lock file of version 1");
  const { tools, server, servers } = value;
  if (isJsonObject(servers))
    throw new TypeError("it is the lock of all servers, as hostside lock writes it: compare it with hostside diff");
  if (!Array.isArray(tools)) throw new TypeError("tools must be an array");
  const listed = tools.map((tool: unknown, index): JsonObject => {
    if (isJsonObject(tool) && isJsonObject(tool["definition"])) return tool;
    throw new TypeError(`tools[${index}] must have a definition`);
  });
  for (const [index, tool] of listed.entries()) {
    const definition = tool["definition"] as JsonObject;
    if (tool["hash"] === hashJson(definition)) continue;
    const name = JSON.stringify(definition["name"]);
    throw new TypeError(`tools[${index}].hash is not that of its definition of ${name}: the file was edited by hand`);
  }
  const definitions = listed.map(({ definition }) => definition as JsonObject);
  const lock = lockTools(definitions, isJsonObject(server) ? server : undefined);
  if (sameJson(lock, value)) return lock;
  throw new TypeError("the hashes are not those of the definitions: the file was edited by hand");
}

const wordHashes = new WeakMap<ServerWords, string>();

/** Hashes what a server says of itself, once for each object. */
export function hashWords(words: ServerWords | undefined): string | undefined {
  if (words === undefined) return undefined;
  const hash = wordHashes.get(words) ?? hashJson({ ...words });
  wordHashes.set(words, hash);
  return hash;
}
