import type { AdmissionServer, CallContext, JsonObject, ResourceContents } from "@hostside/core";
import { clock, sameJson, assertKnownOptions, readWholeNumber, type Fields } from "@hostside/core/implement";
import { LRUCache } from "lru-cache";

/** The identity of a read. */
export interface ReadPlace {
  readonly serverId: string;
  readonly uri: string;
  readonly context: CallContext | undefined;
  readonly server: AdmissionServer | undefined;
}

interface Kept {
  readonly serverId: string;
  readonly uri: string;
  readonly read: ResourceRead;
}

const bytesPerUnit = 2;
// Of all reads and their keys.
const maxBytes = 16 * 1024 * 1024;

/**
 * Keeps reads for a while, to give them again; emptied when `settingsNow` says something else. A
 * read is known by the registration of its server and the revision of the spec, principal, role,
 * conversation where the connection is its own, and its URI; every read is frozen, so that nobody
 * can change it for the next. Kept is only what has some text, and for no longer than its server
 * says; a server of 2026-07-28 that says nothing means not at all. Nothing is kept of a server
 * whose requests carry more of their caller. A `private` read is its principal's alone, and so is
 * everything else: who may see what is the business of the host's layers, and they were asked for
 * this principal only.
 */
export class ReadCache {
  readonly #settingsNow: () => CacheSettings | undefined;
  readonly #start: number;
  #settings: CacheSettings | undefined;
  #kept: LRUCache<string, Kept> | undefined;
  // A read that began before something was forgotten must not bring it back. Of a server that is
  // gone nothing is left here.
  readonly #epochs = new Map<string, object>();

  constructor(settingsNow: () => CacheSettings | undefined) {
    this.#settingsNow = settingsNow;
    this.#start = clock.now();
  }

  /** Says whether reads of this resource are kept now. */
  keeps({ server }: ReadPlace): boolean {
    return server?.perCaller !== true && this.#keptNow() !== undefined;
  }

  /** Returns what was read of this resource for the same caller, if that is not too long ago. */
  get(place: ReadPlace): ResourceRead | undefined {
    return this.#keptNow()?.get(keyOf(place))?.read;
  }

  /**
   * Call before a read; what it returns keeps the read, unless something that concerns it has
   * changed meanwhile.
   */
  begin(place: ReadPlace): (read: ResourceRead) => void {
    const { serverId, uri } = place;
    const epoch = this.#epochs.get(serverId) ?? {};
    this.#epochs.set(serverId, epoch);
    return (read) => {
      const kept = this.#keptNow();
      const { ttlMs = 0 } = this.#settings ?? {};
      const ttl = Math.min(read.ttlMs ?? ttlMs, ttlMs);
      const hasText = read.contents.some(({ text }) => text !== undefined);
      if (ttl <= 0 || this.#epochs.get(serverId) !== epoch || !hasText) return;
      const key = keyOf(place);
      const size = (key.length + jsonLength(read)) * bytesPerUnit;
      if (size > maxBytes) return;
      kept?.set(key, { serverId, uri, read: Object.freeze({ ...read, isCached: true }) }, { size, ttl });
    };
  }

  /** Forgets all of one server. */
  forgetServer(serverId: string): void {
    this.#forget(serverId, () => true);
  }

  /** Forgets a resource, what is a part of it, and what it is a part of. */
  forgetResource(serverId: string, uri: string): void {
    this.#forget(serverId, (known) => isPart(known, uri) || isPart(uri, known));
  }

  get entries(): number {
    return this.#kept?.size ?? 0;
  }

  get bytes(): number {
    return this.#kept?.calculatedSize ?? 0;
  }

  clear(): void {
    this.#epochs.clear();
    // 0 would mean to the library that there is no time.
    const perf = { now: (): number => clock.now() - this.#start + 1 };
    const { maxEntries = 0, ttlMs = 0 } = this.#settings ?? {};
    this.#kept =
      this.#settings && new LRUCache({ max: maxEntries, maxSize: maxBytes, ttl: ttlMs, ttlResolution: 0, perf });
  }

  #keptNow(): LRUCache<string, Kept> | undefined {
    const next = this.#settingsNow();
    if (!sameJson(next, this.#settings)) {
      this.#settings = next;
      this.clear();
    }
    return this.#kept;
  }

  #forget(serverId: string, isMeant: (uri: string) => boolean): void {
    this.#epochs.delete(serverId);
    for (const [key, entry] of Array.from(this.#kept?.entries() ?? [])) {
      if (entry.serverId === serverId && isMeant(entry.uri)) this.#kept?.delete(key);
    }
  }
}

/**
 * Counts the UTF-16 units of a value as JSON. Infinite for what cannot be written: what does not
 * come off a wire may be cyclic, or hold a `bigint`.
 */
export function jsonLength(value: unknown): number {
  try {
    return JSON.stringify(value).length;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** Says whether a URI is the same as another one, or names something below it. */
export function isPart(uri: string, whole: string): boolean {
  if (!uri.startsWith(whole)) return false;
  return (
    uri.length === whole.length || /[/?#]$/.test(whole) || /^[/?#]/.test(uri.slice(whole.length, whole.length + 1))
  );
}

function keyOf({ serverId, uri, server, context }: ReadPlace): string {
  const { registration, revision, sharing } = server ?? {};
  const { principal, role, conversation } = context ?? {};
  const whose = [principal, role, sharing === "conversation" ? conversation : undefined];
  return JSON.stringify([serverId, registration, revision, uri, ...whose].map((part) => part ?? null));
}

/** How long and how much of what was read is given again. At most 16 MiB, a larger read not. */
export interface ReadCacheOptions {
  /**
   * How long, in milliseconds. Default 30,000. A server of 2026-07-28 says itself how long; the
   * shorter time counts.
   */
  readonly ttlMs?: number | undefined;
  /** Default 256 reads; the one that was not asked for longest goes first. */
  readonly maxEntries?: number | undefined;
}

/** The same, read. */
export type CacheSettings = { readonly [Name in keyof ReadCacheOptions]-?: number };

const fields: Fields<ReadCacheOptions> = { ttlMs: true, maxEntries: true };

/**
 * Reads the options of the cache; `undefined` for none. Throws a `TypeError` that names what cannot
 * be used.
 */
export function readCacheOptions(options: ReadCacheOptions | undefined): CacheSettings | undefined {
  if (options === undefined) return undefined;
  assertKnownOptions("cache", options, fields);
  const { ttlMs, maxEntries } = options;
  return {
    ttlMs: readWholeNumber(ttlMs, "cache.ttlMs", { least: 1, otherwise: 30_000 }),
    maxEntries: readWholeNumber(maxEntries, "cache.maxEntries", { least: 1, most: 1_000_000, otherwise: 256 }),
  };
}

/** The contents of one resource. Everything in it is a server's: untrusted. */
export interface ResourceRead {
  readonly serverId: string;
  /**
   * The URI that was asked for; a piece of the contents has a URI of its own, as the server says.
   */
  readonly uri: string;
  /** Texts and base64 as they came. `_meta` of a piece is for the host, never for a model. */
  readonly contents: readonly ResourceContents[];
  /** Pieces that could not be used: the first 100. */
  readonly dropped: readonly { readonly index: number; readonly reason: string }[];
  /** The `_meta` of the result, for the host. */
  readonly meta?: JsonObject;
  /**
   * How long the server lets it be kept, in milliseconds. Absent for earlier revisions than
   * 2026-07-28, which do not say.
   */
  readonly ttlMs?: number;
  /**
   * For whom it may be kept, in the server's words; what it does not say is `private`. Absent as
   * {@linkcode ttlMs} is.
   */
  readonly cacheScope?: "public" | "private";
  /** It was read before, and nothing was sent for it. */
  readonly isCached: boolean;
}
