import {
  HostsideError,
  defaultLimits,
  type Diagnostic,
  type JsonObject,
  type RemoteTool,
  type ServerInfo,
  type ServerSpec,
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

/**
 * Reads what `savedCatalog()` wrote, after `JSON.parse`. Throws `invalid_catalog` when it
 * has another shape or version; one server's listing that is malformed, or larger than its limits
 * allow, costs that listing. Listings of servers that are not there, are reached in another way, or
 * are another principal's, are passed over.
 */
export function readSavedCatalog(
  saved: unknown,
  { specs, principal }: { readonly specs: readonly ServerSpec[]; readonly principal: string | undefined },
): { readonly listings: ReadonlyMap<string, RecalledListing>; readonly problems: readonly Diagnostic[] } {
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
  if (version !== catalogVersion) throw invalidCatalog(`it is not of format ${catalogVersion}`);
  if (Array.isArray(servers) && servers.every((entry) => isJsonObject(entry) && isText(entry["serverId"])))
    return servers;
  throw invalidCatalog("servers is not an array of listings of servers");
}

function isOthers(entry: Entry, spec: ServerSpec, principal: string | undefined): boolean {
  return entry["reachedBy"] !== fingerprintReach(spec, entry["cacheScope"] === "public" ? undefined : principal);
}

function readListing(given: Entry, spec: ServerSpec): RecalledListing {
  const { maxListingLength } = withDefaults(defaultLimits, spec.limits);
  const text = JSON.stringify(given);
  // Names of members and marks count here, and not in a listing.
  if (text.length > 2 * maxListingLength) throw new Error("it is larger than a listing may be");
  // A copy, which nobody else has.
  const entry: unknown = JSON.parse(text);
  if (!isListing(entry)) throw new Error("it is not what savedCatalog() returned");
  const { listedAt, ttlMs, cacheScope, truncated, server, tools } = entry;
  const listing: ToolListing = {
    tools: tools.map(readTool),
    dropped: [],
    pages: 0,
    ...(ttlMs > 0 && { ttlMs }),
    ...(cacheScope === "public" && { cacheScope }),
    ...(truncated !== undefined && { truncated: truncated as NonNullable<ToolListing["truncated"]> }),
  };
  return { listing, server: server as unknown as ServerInfo, listedAt };
}

// Lengths and levels of tools were bounded when they were listed.
function isListing(entry: unknown): entry is SavedListing {
  if (!isJsonObject(entry)) return false;
  const { listedAt, ttlMs, server, tools } = entry;
  if (!Number.isFinite(listedAt) || !Number.isFinite(ttlMs) || !Array.isArray(tools) || !tools.every(isTool))
    return false;
  if (new Set(tools.map(({ name }) => name)).size < tools.length || !isJsonObject(server)) return false;
  const { capabilities, ...texts } = server;
  return isJsonObject(capabilities) && isText(server["protocolVersion"]) && Object.values(texts).every(isText);
}

function isTool(tool: unknown): tool is JsonObject {
  if (!isJsonObject(tool)) return false;
  const { name, title = "", description = "", inputSchema, outputSchema = {}, annotations = {} } = tool;
  const { meta = {}, extras = {}, absent = [], flags = [] } = tool;
  return (
    [name, title, description].every(isText) &&
    [inputSchema, outputSchema, annotations, meta, extras].every(isJsonObject) &&
    [absent, flags].every((list) => Array.isArray(list) && list.every(isText)) &&
    isText(Reflect.get(annotations as object, "title") ?? "")
  );
}

function isText(value: unknown): value is string {
  return typeof value === "string";
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
 * The latest listings of the servers of a provider, as JSON, so that tools are on offer at once
 * after a restart, or in another process.
 */
export interface SavedCatalog {
  readonly version: 1;
  /** Sorted by server id. */
  readonly servers: readonly SavedListing[];
}

/**
 * The latest listing of one server. Holds no credential, and nothing that was made of one; but a
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

function readTool({ extras, absent, ...tool }: JsonObject): RemoteTool {
  const missing = Array.isArray(absent) ? absent.map((member) => [member, undefined] as const) : [];
  const all = [...Object.entries(isJsonObject(extras) ? extras : {}), ...missing];
  return { ...tool, ...(all.length > 0 && { extras: Object.fromEntries(all) }) } as unknown as RemoteTool;
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
