import type { Cancel, Diagnostic, JsonObject, ServerSpec, Store } from "@hostside/core";
import {
  clock,
  assertKnownOptions,
  isJsonObject,
  readVersioned,
  resultWithin,
  writeVersioned,
  type Fields,
} from "@hostside/core/implement";
import { fingerprintReach, type McpProvider, type SavedCatalog, type SavedListing } from "@hostside/provider";

/**
 * Listings of servers, kept over a restart and shared by all replicas that have the same servers.
 */
export interface KeptCatalog {
  /**
   * What was kept of these servers, for `savedCatalog` of a provider of this principal. Never
   * rejects, and takes 3 s at most: what cannot be read is left out, and a diagnostic says so.
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
  readonly store: Store;
  /**
   * How long one server's listing may be, in UTF-16 units of its JSON; a longer one is not kept.
   * Default 4,194,304.
   */
  readonly maxLength?: number | undefined;
  /** For how long a listing is kept that nobody writes again, in milliseconds. Default 30 days. */
  readonly keepMs?: number | undefined;
  /**
   * Says once what could not be kept or read, with `not-kept`; and again when it has worked in
   * between.
   */
  readonly onDiagnostic?: ((diagnostic: Diagnostic) => void) | undefined;
}

const optionFields: Fields<KeptCatalogOptions> = {
  store: true,
  maxLength: true,
  keepMs: true,
  onDiagnostic: true,
};
const longestReadMs = 3000;
const longestWriteMs = 10_000;
const pauseMs = 1000;
const month = 30 * 24 * 60 * 60 * 1000;
const version = 1;

/**
 * Keeps what servers list in a store: one value for each server and way to reach it, so that nobody
 * who has other servers writes over it; of a `private` listing one for each principal. What a later
 * version of Hostside wrote is left as it is. A store that fails costs no start and no call.
 * Nothing is read or written yet.
 *
 * Throws a `TypeError` for what is no store, and for an option that is unknown.
 */
export function createKeptCatalog(options: KeptCatalogOptions): KeptCatalog {
  assertKnownOptions("createKeptCatalog()", options, optionFields);
  assertStore(options.store);
  const { store, keepMs = month, maxLength = 4 * 1024 * 1024, onDiagnostic } = options;
  const written = createListingLog();
  const followed = new Set<Following>();
  let isFailing = false;
  let writing: Promise<void> = Promise.resolve();

  const complain = (serverId: string, what: string): void => {
    const message = `the listing of server ${JSON.stringify(serverId)} ${what}`;
    if (!isFailing) onDiagnostic?.({ kind: "not-kept", serverId, message });
    isFailing = true;
  };
  const read = async (spec: ServerSpec, principal: string | undefined): Promise<readonly SavedListing[]> => {
    try {
      const keys = new Set([fingerprintReach(spec, principal), fingerprintReach(spec, undefined)]);
      const reading = Promise.all(Array.from(keys, async (key) => readListing(await store.get(keyOf(key)), spec.id)));
      const found = await resultWithin(reading, longestReadMs);
      if (found === undefined) complain(spec.id, "could not be read in time");
      else isFailing = false;
      const listings = (found ?? []).flatMap((one) =>
        one === undefined || isOthers(one, spec, principal) ? [] : [one],
      );
      for (const listing of listings) written.note(listing);
      // The same server under both keys: as it was listed last.
      return listings.sort((a, b) => b.listedAt - a.listedAt).slice(0, 1);
    } catch (error) {
      complain(spec.id, `could not be read: ${messageOf(error)}`);
      return [];
    }
  };
  const write = async (listing: SavedListing): Promise<void> => {
    const { serverId, reachedBy } = listing;
    const key = keyOf(reachedBy);
    const put = async (): Promise<true> => {
      if (!isLater(await store.get(key)))
        await store.set(key, writeVersioned(toJson(listing), { what, version }), keepMs);
      return true;
    };
    try {
      if (JSON.stringify(listing).length > maxLength) {
        return complain(serverId, `is longer than ${maxLength}, and not kept`);
      }
      if ((await resultWithin(put(), longestWriteMs)) === undefined)
        throw new Error("the store did not answer in time");
      isFailing = false;
    } catch (error) {
      written.forget(listing);
      complain(serverId, `could not be kept: ${messageOf(error)}`);
    }
  };
  const writeAll = ({ servers }: SavedCatalog): void => {
    const news = servers.filter((listing) => written.isNews(listing));
    for (const listing of news) written.note(listing);
    if (news.length > 0) writing = writing.then(() => Promise.all(news.map(write))).then(() => undefined);
  };
  return {
    async recall(specs, principal) {
      const found = await Promise.all(specs.map((spec) => read(spec, principal)));
      return { version: 1, servers: found.flat() };
    },
    follow(provider) {
      const following = followProvider(provider, writeAll);
      followed.add(following);
      provider.onClosed(() => {
        following.end();
        followed.delete(following);
      });
    },
    async close() {
      for (const following of followed) {
        following.flush();
        following.end();
      }
      followed.clear();
      await writing;
    },
  };
}

// What was listed for nobody in particular is no principal's, unless its server says that it is
// everybody's.
function isOthers({ cacheScope, reachedBy }: SavedListing, spec: ServerSpec, principal: string | undefined): boolean {
  return principal !== undefined && cacheScope !== "public" && reachedBy === fingerprintReach(spec, undefined);
}

interface Following {
  /** Hands over what has changed and was not handed over. */
  flush(): void;
  end(): void;
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
  return {
    flush,
    end() {
      for (const unsubscribe of subscriptions) unsubscribe();
      cancel?.();
    },
  };
}

function assertStore(store: Store): void {
  if (typeof store?.get !== "function" || typeof store.set !== "function") throw new TypeError("store must be a store");
}

const what = "a kept listing of tools";

function keyOf(reachedBy: string): string {
  return `hostside:catalog:${reachedBy}`;
}

function readListing(stored: unknown, serverId: string): SavedListing | undefined {
  const listing = readVersioned(stored, { what, version });
  // The provider looks at the rest, and says what is wrong with it.
  return isListing(listing) && listing.serverId === serverId ? listing : undefined;
}

function isListing(value: unknown): value is SavedListing {
  return (
    isJsonObject(value) &&
    typeof value["serverId"] === "string" &&
    typeof value["listedAt"] === "number" &&
    typeof value["reachedBy"] === "string"
  );
}

function isLater(stored: unknown): boolean {
  return isJsonObject(stored) && typeof stored["version"] === "number" && stored["version"] > version;
}

// A listing is JSON, whose members have names that an interface does not say.
function toJson(listing: SavedListing): JsonObject {
  return { ...listing };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : "the store failed";
}

/** Remembers what is in a store, so that nothing is written twice. */
export interface ListingLog {
  /**
   * Whether a listing says something else than what is there, or is enough newer to be worth a
   * write.
   */
  isNews(listing: SavedListing): boolean;
  /** It is there now, or about to be. */
  note(listing: SavedListing): void;
  /** It is not there after all. */
  forget(listing: SavedListing): void;
}

const mostEntries = 10_000;
const hour = 60 * 60 * 1000;

/**
 * Makes an empty log. It holds a mark of each listing, and forgets the oldest of more than 10,000.
 */
export function createListingLog(): ListingLog {
  const entries = new Map<string, { readonly mark: string; readonly listedAt: number }>();
  return {
    isNews(listing) {
      const entry = entries.get(listing.reachedBy);
      if (entry === undefined || entry.mark !== markOf(listing)) return true;
      const { ttlMs, listedAt } = listing;
      return listedAt - entry.listedAt >= (ttlMs > 0 ? Math.min(ttlMs / 4, hour) : hour);
    },
    forget: ({ reachedBy }) => void entries.delete(reachedBy),
    note(listing) {
      const { reachedBy, listedAt } = listing;
      entries.delete(reachedBy);
      entries.set(reachedBy, { mark: markOf(listing), listedAt });
      const [oldest] = entries.keys();
      if (entries.size > mostEntries && oldest !== undefined) entries.delete(oldest);
    },
  };
}

// Two hashes after the pattern of FNV-1a: for telling what changed, and for nothing that somebody
// could gain by a collision.
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
