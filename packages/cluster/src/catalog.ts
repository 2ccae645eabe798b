import type { Cancel, Diagnostic, ServerSpec, Store } from "@hostside/core";
import {
  clock,
  assertKnownOptions,
  isJsonObject,
  readVersioned,
  resultWithin,
  writeVersioned,
  type Fields,
  type ValueVersion,
} from "@hostside/core/implement";
import { fingerprintReach, type McpProvider, type SavedCatalog, type SavedListing } from "@hostside/provider";

/**
 * Listings of servers, kept over a restart and shared by all replicas that have the same servers.
 */
export interface KeptCatalog {
  /**
   * Reads the kept listings of these servers, for `savedCatalog` of a provider of this principal.
   * Never rejects, and takes 3 s at most: what cannot be read is left out, and a diagnostic says
   * so.
   */
  recall(specs: readonly ServerSpec[], principal?: string): Promise<SavedCatalog>;
  /**
   * Keeps what a provider lists from now on until it is closed: at once, and then once a second at
   * most. Several may be followed.
   */
  follow(provider: McpProvider): void;
  /**
   * Writes what is not written yet, and follows nobody any more. Call it before the providers are
   * closed. Resolves when all is written, or could not be.
   */
  close(): Promise<void>;
}

/** Options of {@linkcode createKeptCatalog}. */
export interface KeptCatalogOptions {
  /** Keeps a listing for 30 days after it was written last. */
  readonly store: Store;
  /**
   * Says once what could not be kept or read, with `not-kept`; and again when it has worked in
   * between.
   */
  readonly onDiagnostic?: ((diagnostic: Diagnostic) => void) | undefined;
}

const optionFields: Fields<KeptCatalogOptions> = { store: true, onDiagnostic: true };
const longestReadMs = 3000;
const longestWriteMs = 10_000;
const pauseMs = 1000;
const keepMs = 30 * 24 * 60 * 60 * 1000;
const hourMs = 60 * 60 * 1000;
const longestListing = 4 * 1024 * 1024;
const mostKnown = 10_000;
const format: ValueVersion = { what: "a kept listing of tools", version: 1 };

/**
 * Keeps listings of servers in a store: one value for each server and way to reach it, and of a
 * `private` listing one for each principal. A listing of more than 4,194,304 characters is not
 * kept. A value that a later version of Hostside wrote is left as it is. A store that fails costs
 * no start and no call. Nothing is read or written yet.
 *
 * Throws a `TypeError` for what is no store, and for an option that is unknown.
 *
 * @example
 * const kept = createKeptCatalog({ store });
 * const savedCatalog = await kept.recall(servers);
 * const provider = createProvider({ connector, servers, savedCatalog });
 * kept.follow(provider);
 */
export function createKeptCatalog(options: KeptCatalogOptions): KeptCatalog {
  assertKnownOptions("createKeptCatalog()", options, optionFields);
  const { store, onDiagnostic } = options;
  if (typeof store?.get !== "function" || typeof store.set !== "function") throw new TypeError("store must be a store");
  const known = createKnownListings();
  const following = new Set<Following>();
  let isFailing = false;
  let writing: Promise<unknown> = Promise.resolve();

  const complain = (serverId: string, what: string): void => {
    const message = `the listing of server ${JSON.stringify(serverId)} ${what}`;
    if (!isFailing) onDiagnostic?.({ kind: "not-kept", serverId, message });
    isFailing = true;
  };
  const read = async (spec: ServerSpec, principal: string | undefined): Promise<readonly SavedListing[]> => {
    try {
      const ofAll = fingerprintReach(spec, undefined);
      const keys = Array.from(new Set([fingerprintReach(spec, principal), ofAll]), keyOf);
      const values = await resultWithin(Promise.all(keys.map((key) => store.get(key))), longestReadMs);
      if (values === undefined) throw new Error("not in time");
      const found = values.map((value): unknown => readVersioned(value, format)).filter(isListing);
      isFailing = false;
      // A listing without a principal is no principal's, unless its server says that it is
      // everybody's.
      const own = found.filter(
        ({ serverId, cacheScope, reachedBy }) =>
          serverId === spec.id && (principal === undefined || cacheScope === "public" || reachedBy !== ofAll),
      );
      own.forEach(known.note);
      return own.toSorted((a, b) => b.listedAt - a.listedAt).slice(0, 1);
    } catch (error) {
      complain(spec.id, `could not be read: ${messageOf(error)}`);
      return [];
    }
  };
  const write = async (listing: SavedListing): Promise<void> => {
    const { serverId, reachedBy } = listing;
    const put = async (): Promise<true> => {
      const stored = await store.get(keyOf(reachedBy));
      const isLater = isJsonObject(stored) && Number(stored["version"]) > format.version;
      // A listing is JSON, whose members have names that an interface does not say.
      if (!isLater) await store.set(keyOf(reachedBy), writeVersioned({ ...listing }, format), keepMs);
      return true;
    };
    try {
      if (JSON.stringify(listing).length > longestListing)
        return complain(serverId, `is longer than ${longestListing}, and not kept`);
      if ((await resultWithin(put(), longestWriteMs)) === undefined)
        throw new Error("the store did not answer in time");
      isFailing = false;
    } catch (error) {
      known.forget(listing);
      complain(serverId, `could not be kept: ${messageOf(error)}`);
    }
  };
  const writeAll = ({ servers }: SavedCatalog): void => {
    const news = servers.filter(known.isNews);
    news.forEach(known.note);
    if (news.length > 0) writing = writing.then(() => Promise.all(news.map(write)));
  };
  return {
    async recall(specs, principal) {
      const found = await Promise.all(specs.map((spec) => read(spec, principal)));
      return { version: 1, servers: found.flat() };
    },
    follow(provider) {
      const own = followProvider(provider, writeAll);
      following.add(own);
      provider.onClosed(() => {
        own.end();
        following.delete(own);
      });
    },
    async close() {
      for (const { flush, end } of following) {
        flush();
        end();
      }
      following.clear();
      await writing;
    },
  };
}

/** Remembers what a store has, so that nothing is written twice. */
function createKnownListings() {
  const known = new Map<string, { readonly mark: string; readonly listedAt: number }>();
  return {
    note: (listing: SavedListing): void => {
      known.delete(listing.reachedBy);
      known.set(listing.reachedBy, { mark: markOf(listing), listedAt: listing.listedAt });
      const [oldest] = known.keys();
      if (known.size > mostKnown && oldest !== undefined) known.delete(oldest);
    },
    forget: ({ reachedBy }: SavedListing): boolean => known.delete(reachedBy),
    /** Tells if a listing says something else, or is enough newer to be worth a write. */
    isNews: (listing: SavedListing): boolean => {
      const { reachedBy, ttlMs, listedAt } = listing;
      const before = known.get(reachedBy);
      const worthMs = ttlMs > 0 ? Math.min(ttlMs / 4, hourMs) : hourMs;
      return before?.mark !== markOf(listing) || listedAt - before.listedAt >= worthMs;
    },
  };
}

interface Following {
  /** Hands over what has changed and was not handed over. */
  readonly flush: () => void;
  readonly end: () => void;
}

function followProvider(provider: McpProvider, take: (catalog: SavedCatalog) => void): Following {
  let cancel: Cancel | undefined;
  let isDue = false;
  const flush = (): void => {
    if (isDue && !provider.closed) take(provider.savedCatalog());
    isDue = false;
  };
  const note = (): void => {
    isDue = true;
    // The first at once, because a function may be over in a moment.
    if (cancel !== undefined) return;
    flush();
    cancel = clock.schedule(pauseMs, () => {
      cancel = undefined;
      if (isDue) note();
    });
  };
  const subscriptions = [
    provider.onToolsChanged(note),
    provider.onStatusChanged(({ state, stale }) => {
      if (state === "ready" && !stale) note();
    }),
  ];
  const end = (): void => {
    for (const unsubscribe of subscriptions) unsubscribe();
    cancel?.();
  };
  return { flush, end };
}

function keyOf(reachedBy: string): string {
  return `hostside:catalog:${reachedBy}`;
}

// The provider checks the rest, and says what is wrong with it.
function isListing(value: unknown): value is SavedListing {
  const isOne = isJsonObject(value) && typeof value["serverId"] === "string" && typeof value["reachedBy"] === "string";
  return isOne && typeof value["listedAt"] === "number";
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : "the store failed";
}

// Two hashes after the pattern of FNV-1a: they tell changes, and a collision gains nobody anything.
function markOf({ listedAt: _listedAt, ...listing }: SavedListing): string {
  const text = JSON.stringify(listing);
  let a = 0x811c9dc5;
  let b = 0x1000193;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ unit, 0x85ebca6b);
  }
  return `${text.length}.${a}.${b}`;
}
