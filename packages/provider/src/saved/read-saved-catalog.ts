import {
  HostsideError,
  defaultLimits,
  type Diagnostic,
  type JsonObject,
  type RemoteTool,
  type ServerInfo,
  type ServerLimits,
  type ServerSpec,
  type ToolFlag,
  type ToolListing,
} from "@hostside/core";
import { clock, isJsonObject, quoteText, withDefaults } from "@hostside/core/implement";
import { fingerprintReach } from "../catalog/fingerprint-reach.ts";
import type { HeldListing } from "../link/link.ts";

/** A listing from before the registration. */
export interface RecalledListing {
  readonly listing: ToolListing;
  readonly server: ServerInfo;
  /** Milliseconds since 1970. */
  readonly listedAt: number;
}

/** The usable part of a saved catalogue. */
export interface RecalledCatalog {
  /** By server id. */
  readonly listings: ReadonlyMap<string, RecalledListing>;
  /** Problems with what could not be used, though it is of a server that is there. */
  readonly problems: readonly Diagnostic[];
}

/**
 * Reads what `savedCatalog()` wrote, after `JSON.parse`. Trusts nothing of it: throws
 * `invalid_catalog` when it has another shape or version; one server's listing that is malformed,
 * or larger than its limits allow, costs that listing. Of servers that are not there, are reached
 * in another way, or are another principal's, nothing is looked at.
 */
export function readSavedCatalog(
  saved: unknown,
  { specs, principal }: { readonly specs: readonly ServerSpec[]; readonly principal: string | undefined },
): RecalledCatalog {
  const listings = new Map<string, RecalledListing>();
  const problems: Diagnostic[] = [];
  const byId = new Map(specs.map((spec) => [spec.id, spec]));
  for (const entry of entriesOf(saved)) {
    const spec = byId.get(entry.serverId);
    if (spec === undefined || spec.disabled === true || listings.has(spec.id) || isOthers(entry, spec, principal))
      continue;
    try {
      listings.set(spec.id, readListing(entry, spec));
    } catch (error) {
      problems.push(unusable(spec.id, error));
    }
  }
  return { listings, problems };
}

type Entry = JsonObject & { readonly serverId: string };

function entriesOf(saved: unknown): readonly Entry[] {
  if (saved === undefined) return [];
  if (!isJsonObject(saved)) throw invalidCatalog("it is not an object");
  const { version, servers } = saved;
  if (typeof version !== "number" || !Number.isSafeInteger(version)) throw invalidCatalog("it names no version");
  if (version > catalogVersion) {
    throw invalidCatalog(
      `it was written by a later version of Hostside (format ${version}, this one knows ${catalogVersion})`,
    );
  }
  if (version !== catalogVersion) throw invalidCatalog(`its format is ${version}, which is not known`);
  if (!Array.isArray(servers)) throw invalidCatalog("servers is not an array");
  const at = servers.findIndex((entry) => !isJsonObject(entry) || typeof entry["serverId"] !== "string");
  if (at !== -1) throw invalidCatalog(`servers[${at}] names no server`);
  return servers;
}

function isOthers(entry: Entry, spec: ServerSpec, principal: string | undefined): boolean {
  return entry["reachedBy"] !== fingerprintReach(spec, entry["cacheScope"] === "public" ? undefined : principal);
}

function readListing(given: Entry, spec: ServerSpec): RecalledListing {
  const limits = withDefaults(defaultLimits, spec.limits);
  const text = JSON.stringify(given);
  // Names of members and marks count here, and not in a listing.
  if (text.length > 2 * limits.maxListingLength) throw new Error("it is larger than a listing may be");
  // A copy, which nobody else has.
  const entry: JsonObject = JSON.parse(text);
  const { listedAt, ttlMs, cacheScope, truncated, tools } = entry;
  if (!isTime(listedAt) || !isTime(ttlMs)) throw new Error("listedAt or ttlMs is no time");
  if (cacheScope !== "public" && cacheScope !== "private")
    throw new Error('cacheScope is neither "public" nor "private"');
  if (truncated !== undefined && !reasons.has(truncated)) throw new Error("truncated is no reason");
  if (!Array.isArray(tools)) throw new Error("tools is not an array");
  if (tools.length > 2 * limits.maxTools) throw new Error("it has more tools than a listing may have");
  const read = tools.map((tool, at) => readSavedTool(tool, `tools[${at}]`, limits));
  if (new Set(read.map(({ name }) => name)).size !== read.length)
    throw new Error("two of its tools have the same name");
  const listing: ToolListing = {
    tools: read,
    dropped: [],
    pages: 0,
    ...(ttlMs > 0 && { ttlMs }),
    ...(cacheScope === "public" && { cacheScope }),
    ...(truncated !== undefined && { truncated: truncated as NonNullable<ToolListing["truncated"]> }),
  };
  return { listing, server: readSavedServer(entry["server"], limits), listedAt };
}

const reasons: ReadonlySet<unknown> = new Set<NonNullable<ToolListing["truncated"]>>([
  "page-limit",
  "tool-limit",
  "size-limit",
  "repeated-cursor",
  "bad-cursor",
  "page-failed",
]);

function isTime(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

function unusable(serverId: string, error: unknown): Diagnostic {
  const why = error instanceof Error ? error.message : "it cannot be read";
  const message = `the saved listing of server ${JSON.stringify(serverId)} is not used: ${quoteText(why, 300).slice(1, -1)}`;
  return { kind: "not-kept", serverId, message };
}

function invalidCatalog(problem: string): HostsideError {
  return new HostsideError(`the saved catalogue cannot be used: ${problem}`, { code: "invalid_catalog" });
}

/**
 * What the servers of a provider listed last, as JSON, so that tools are on offer at once after a
 * restart, or in another process.
 */
export interface SavedCatalog {
  readonly version: 1;
  /** Sorted by server id. */
  readonly servers: readonly SavedListing[];
}

/**
 * What one server listed last. Holds no credential, and nothing that was made of one; but a
 * `private` one is for the eyes of its principal alone.
 */
export interface SavedListing {
  readonly serverId: string;
  /**
   * A hash of how the server was reached, without credentials; of a `private` listing also for
   * whom.
   */
  readonly reachedBy: string;
  /** When it came in: milliseconds since 1970. */
  readonly listedAt: number;
  /** For how long from then on the server says that it holds; 0 where it does not say. */
  readonly ttlMs: number;
  /** `"public"` only where the server says so. */
  readonly cacheScope: "public" | "private";
  /** Why it stops before the server's end of it. */
  readonly truncated?: string;
  /** The server's own description. */
  readonly server: JsonObject;
  /** As they were listed, with `absent` for members of `extras` that stand for none. */
  readonly tools: readonly JsonObject[];
}

/** The format that is written here. */
export const catalogVersion = 1;

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

// Whatever a server says: what is older is looked at again.
const longestTrustMs = 24 * 60 * 60 * 1000;

/**
 * A saved listing that still holds by the word of its server, which only servers of 2026-07-28
 * give; `undefined` for one that does not, or that is from the future, as after a clock that
 * jumped.
 */
export function heldListing(saved: RecalledListing | undefined): HeldListing | undefined {
  if (saved === undefined || saved.server.era !== "modern") return undefined;
  const { listing, server, listedAt } = saved;
  const ageMs = clock.date() - listedAt;
  const leftMs = Math.min(listing.ttlMs ?? 0, longestTrustMs) - ageMs;
  return ageMs >= 0 && leftMs > 0 ? { server, tools: listing.tools, leftMs } : undefined;
}

/** The same listing, good for no time: with other credentials it may be another one. */
export function withoutHold(saved: RecalledListing): RecalledListing {
  return { ...saved, listing: { ...saved.listing, ttlMs: 0 } };
}
