import type { ServerWords } from "@hostside/core";
import { assertKnownOptions, isJsonObject, type Fields } from "@hostside/core/implement";
import { readOneOf } from "../read-options.ts";
import { hashWords, parseLock, type LockedTool, type ToolLock } from "./tool-lock.ts";

/** Which tools are held back because they are not the ones that somebody has seen. */
export interface PinOptions {
  /**
   * By server id, what the server offered when somebody looked: its part of the lock file of
   * `hostside lock`, as text or data. A tool that is another one now, or is not in it, is held back
   * until it is approved.
   */
  readonly locks?: Readonly<Record<string, ToolLock | string>> | undefined;
  /**
   * The treatment of tools of servers without a lock. `"trust-on-first-use"` takes all that a
   * server lists when it is first seen for what it is to be, and keeps that in the store;
   * `"quarantine"` holds each tool back until it is approved; `"allow"` lets everything pass that
   * was never approved or locked, and keeps first uses where a selector asks for `new` tools.
   * Default `"trust-on-first-use"`.
   */
  readonly unpinned?: Unpinned | undefined;
  /**
   * By server id, the versions that a server may say it has: `"1.2.3"`, `"^1.2.3"`, `"1.*"`, `"*"`.
   * If a server says another version, or none, all of its tools are held back, and no approval
   * changes that. A server can say what it likes: this is against surprises, not against malice.
   */
  readonly versions?: Readonly<Record<string, string>> | undefined;
}

/** See {@linkcode PinOptions.unpinned}. */
export type Unpinned = "trust-on-first-use" | "quarantine" | "allow";

/** Options that were read. */
export interface PinPlan {
  /** `"off"`: nothing is held back for what it is; only what was approved is kept. */
  readonly unpinned: Unpinned | "off";
  readonly locks: ReadonlyMap<string, ServerLock>;
  readonly versions: ReadonlyMap<string, VersionRange>;
}

/** The locked tools of one server. */
export interface ServerLock {
  /** Its place in the options: `pins.locks["github"]`. */
  readonly place: string;
  /** By remote name. */
  readonly tools: ReadonlyMap<string, LockedTool>;
  /** The words of the server about itself, and their hash. Absent: they are not locked. */
  readonly server: ServerWords | undefined;
  readonly words: string | undefined;
}

/** The versions that one server may have. */
export interface VersionRange {
  readonly place: string;
  readonly text: string;
  readonly matches: VersionMatch;
}

const optionFields: Fields<PinOptions> = { locks: true, unpinned: true, versions: true };
const modes: readonly Unpinned[] = ["trust-on-first-use", "quarantine", "allow"];

/**
 * Reads options. Throws a `TypeError` that names the field, and of a lock what is wrong with it and
 * on which line.
 */
export function readPinOptions(options: PinOptions | undefined): PinPlan {
  if (options === undefined) return { unpinned: "off", locks: new Map(), versions: new Map() };
  assertKnownOptions("pins", options, optionFields);
  return {
    unpinned: readOneOf(options.unpinned, modes, "pins.unpinned") ?? "trust-on-first-use",
    locks: readByServer(options.locks, "pins.locks", readLock),
    versions: readByServer(options.versions, "pins.versions", (text, place) => ({
      place,
      text,
      matches: readVersionRange(text, place),
    })),
  };
}

function readByServer<T, Read>(
  given: Readonly<Record<string, T>> | undefined,
  field: string,
  read: (value: T, place: string) => Read,
): ReadonlyMap<string, Read> {
  if (given === undefined) return new Map();
  if (!isJsonObject(given)) throw new TypeError(`${field} must be an object by server id`);
  const entries = Object.entries(given);
  return new Map(entries.map(([serverId, value]) => [serverId, read(value, `${field}[${JSON.stringify(serverId)}]`)]));
}

function readLock(lock: ToolLock | string, place: string): ServerLock {
  try {
    const { tools, server } = parseLock(typeof lock === "string" ? lock : JSON.stringify(lock, null, 2));
    return { place, tools: new Map(tools.map((tool) => [tool.name, tool])), server, words: hashWords(server) };
  } catch (cause) {
    throw new TypeError(`${place}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

/** Tells whether a version that a server claims is one that is wanted. */
export type VersionMatch = (version: string | undefined) => boolean;

const numbers = /^(?:0|[1-9]\d{0,14})(?:\.(?:0|[1-9]\d{0,14})){0,2}$/;
const exact = /^[0-9A-Za-z][0-9A-Za-z.+_-]*$/;

/**
 * Reads a range of versions: `*` any, `1.*` and `1.2.*` those that begin so, with `x` as well as
 * `*`, `^1.2.3` from this one up to the next that may break (a change of the first number that is
 * not 0); `^` may leave numbers out. Anything else is that one version, byte for byte. A version
 * that is not three numbers, such as a prerelease, is in no range but `*` and its own.
 *
 * Throws a `TypeError` that names `place` for a text that is no range.
 */
export function readVersionRange(range: unknown, place: string): VersionMatch {
  if (typeof range !== "string") throw new TypeError(`${place} must be a text`);
  if (range === "*") return () => true;
  const begin = /\.[*x]$/i.test(range) ? readNumbers(range.slice(0, -2)) : undefined;
  if (begin !== undefined && begin.length < 3) return (version) => begins(readVersion(version), begin);
  const from = range.startsWith("^") ? readNumbers(range.slice(1)) : undefined;
  if (from !== undefined) {
    const first = from.findIndex((number) => number > 0);
    const fixed = from.slice(0, first < 0 ? from.length : first + 1);
    return (version) => {
      const claimed = readVersion(version);
      return begins(claimed, fixed) && isNoLess(claimed ?? [], from);
    };
  }
  if (exact.test(range)) return (version) => version === range;
  throw new TypeError(
    `${place}: ${JSON.stringify(range)} is no range of versions; try "1.2.3", "^1.2.3", "1.*" or "*"`,
  );
}

function readNumbers(text: string): readonly number[] | undefined {
  return numbers.test(text) ? text.split(".").map(Number) : undefined;
}

function readVersion(version: string | undefined): readonly number[] | undefined {
  const read = version === undefined ? undefined : readNumbers(version);
  return read?.length === 3 ? read : undefined;
}

function begins(version: readonly number[] | undefined, begin: readonly number[]): boolean {
  return version !== undefined && begin.every((number, at) => version[at] === number);
}

function isNoLess(version: readonly number[], from: readonly number[]): boolean {
  const at = version.findIndex((number, place) => number !== (from[place] ?? 0));
  return at < 0 || (version[at] ?? 0) > (from[at] ?? 0);
}
