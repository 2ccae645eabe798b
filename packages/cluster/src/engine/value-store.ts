import type { FencingToken, JsonValue, Store } from "@hostside/core";
import { isPlainObject, quoteText, storeFailed } from "@hostside/core/implement";
import type { EngineClient } from "./engine-client.ts";
import { assertText, engineName } from "./engine-name.ts";

/** Values of an engine. */
export interface ValueEngine {
  /** The value as JSON, and the format it was written in. */
  get(name: string, signal: AbortSignal): Promise<KeptValue | undefined>;
  set(write: ValueWrite, signal: AbortSignal): Promise<WriteAnswer>;
  delete(removal: ValueRemoval, signal: AbortSignal): Promise<WriteAnswer>;
}

/** A value as an engine has it. */
export interface KeptValue {
  readonly format: number;
  readonly json: string;
}

/** A fencing token, with its name in an engine. */
export interface NamedFencingToken {
  readonly name: string;
  readonly number: number;
}

/** A value to be forgotten. */
export interface ValueRemoval {
  readonly name: string;
  readonly fencingToken: NamedFencingToken | undefined;
}

/** A value to be kept. */
export interface ValueWrite extends ValueRemoval {
  readonly json: string;
  /** Whole milliseconds. */
  readonly ttlMs: number | undefined;
}

/**
 * `outdated`: the fencing token is not that of the latest holder. `unknown-lock`: there is no
 * latest holder. `later-format`: what is there was written by a later version. With these three,
 * nothing was written.
 */
export type WriteAnswer = "done" | "nothing-there" | "outdated" | "unknown-lock" | "later-format";

/**
 * The format that this version writes. A version that reads a new format comes before the version
 * that writes it.
 */
const valueFormat = 1;
const mostValueBytes = 16 * 1024 * 1024;

/** A store whose every answer is the engine's. */
export function createValueStore(
  engine: ValueEngine,
  client: EngineClient,
  { prefix }: { readonly prefix: string },
): Store {
  const nameOf = (key: string): string => engineName(prefix, "value", key);
  const nameFencingToken = (fencingToken: FencingToken | undefined): NamedFencingToken | undefined => {
    if (fencingToken === undefined) return undefined;
    assertFencingToken(fencingToken);
    // Locks of an engine count in its microseconds. Another lock's fencing token means nothing to
    // it.
    if (fencingToken.number < smallestNumber) return undefined;
    return { name: engineName(prefix, "fencing-token", fencingToken.key), number: fencingToken.number };
  };
  return {
    async get(key) {
      assertText("the key of a value", key);
      const name = nameOf(key);
      const what = `reading ${quoteText(key)}`;
      const kept = await client.ask({ what, effect: "read", send: (signal) => engine.get(name, signal) });
      return kept === undefined ? undefined : readKept(key, kept);
    },
    async set(key, value, ...[ttlMs, fencingToken]) {
      assertText("the key of a value", key);
      const json = valueJson(key, value);
      const ttl = wholeTtl(ttlMs);
      const write = { name: nameOf(key), json, ttlMs: ttl, fencingToken: nameFencingToken(fencingToken) };
      const what = `writing ${quoteText(key)}`;
      const answer = await client.ask({ what, effect: "write", send: (signal) => engine.set(write, signal) });
      return judge(answer, key, fencingToken);
    },
    async delete(key, fencingToken) {
      assertText("the key of a value", key);
      const removal = { name: nameOf(key), fencingToken: nameFencingToken(fencingToken) };
      const what = `deleting ${quoteText(key)}`;
      const answer = await client.ask({ what, effect: "write", send: (signal) => engine.delete(removal, signal) });
      return judge(answer, key, fencingToken);
    },
  };
}

/** In microseconds since 1970, September 2005. */
const smallestNumber = 2 ** 50;
/**
 * A hundred years, in milliseconds: more than any engine needs, and less than the most that each
 * can take.
 */
const longestTtlMs = 3_155_760_000_000;

function assertFencingToken(fencingToken: FencingToken): void {
  if (isPlainObject(fencingToken) && typeof fencingToken.key === "string" && Number.isSafeInteger(fencingToken.number))
    return;
  throw new TypeError("a fencing token must be one that a lock gave: { key, number }");
}

function wholeTtl(ttlMs: number | undefined): number | undefined {
  if (ttlMs === undefined) return undefined;
  if (!(typeof ttlMs === "number" && ttlMs > 0)) throw new TypeError("ttlMs must be a number above 0");
  return ttlMs > longestTtlMs ? undefined : Math.ceil(ttlMs);
}

function valueJson(key: string, value: JsonValue): string {
  const json = JSON.stringify(value) as string | undefined;
  if (json === undefined) throw new TypeError(`the value of ${quoteText(key)} is none that JSON has`);
  // No character of UTF-16 has more than three bytes.
  if (json.length * 3 <= mostValueBytes) return json;
  const bytes = new TextEncoder().encode(json).length;
  if (bytes <= mostValueBytes) return json;
  throw storeFailed(`the value of ${quoteText(key)} has ${bytes} bytes, and ${mostValueBytes} is the most`);
}

function readKept(key: string, { format, json }: KeptValue): JsonValue {
  if (format > valueFormat) throw laterError(key);
  try {
    if (format === valueFormat) return JSON.parse(json) as JsonValue;
  } catch {
    // Below.
  }
  throw storeFailed(`what is kept under ${quoteText(key)} is not what was written there`);
}

/** Tells if something was written or deleted. Throws for an answer that says why not. */
function judge(answer: WriteAnswer, key: string, fencingToken: FencingToken | undefined): boolean {
  const lock = quoteText(fencingToken?.key ?? "");
  if (answer === "later-format") throw laterError(key);
  if (answer === "outdated") throw storeFailed(`somebody else has had the lock ${lock} since, and nothing was written`);
  if (answer !== "unknown-lock") return answer === "done";
  const why = `nothing is known here of the lock ${lock}, which somebody else may have, and nothing was written`;
  throw storeFailed(why);
}

function laterError(key: string): Error {
  return storeFailed(
    `what is kept under ${quoteText(key)} was written by a later version of Hostside, and is left as it is`,
  );
}
