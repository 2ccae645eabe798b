import { longestTimeoutMs, type CallContext, type Clock, type Diagnostic } from "@hostside/core";
import {
  assertCallContext,
  assertKnownOptions,
  systemClock,
  type Fields,
  readWholeNumber,
} from "@hostside/core/implement";
import { readCacheOptions, type CacheSettings, type ReadCacheOptions } from "./read-cache.ts";
import { readAllowedUris, type AllowUri } from "./check-uri.ts";

/** Options of {@linkcode createResources}. */
export interface ResourcesOptions {
  /**
   * What the URIs begin with that are read and subscribed to: schemes in any case (`"file"`) or
   * beginnings (`"file:///srv/"`). Or a function that says it of each URI, and must not throw.
   * Other URIs are refused with `not_allowed` before a server is started. Default, and with `[]`:
   * all.
   */
  readonly allowedUris?: readonly string[] | AllowUri | undefined;
  /** For one server's list, connecting included, in milliseconds. Default 30,000. */
  readonly listTimeoutMs?: number | undefined;
  /**
   * How long a list of several servers waits for one of them, in milliseconds, unless its `waitMs`
   * says: who takes longer is a failure, and appears in the snapshot when it has listed; until then
   * nobody waits for it again. Default: as long as `listTimeoutMs` allows.
   */
  readonly listWaitMs?: number | undefined;
  /**
   * For one read, subscription or other request, connecting included, in milliseconds. Default
   * 60,000.
   */
  readonly requestTimeoutMs?: number | undefined;
  /**
   * Pages of one server's list. Default 64; what was read up to there is kept, and the failure says
   * so.
   */
  readonly maxPages?: number | undefined;
  /**
   * Entries of one server's list, with those that cannot be used. Default 10,000; what was read up
   * to there is kept, and the failure says so.
   */
  readonly maxEntries?: number | undefined;
  /**
   * UTF-16 units of one server's list, serialised. Default 33,554,432; what was read up to there is
   * kept, and the failure says so.
   */
  readonly maxListingLength?: number | undefined;
  /**
   * UTF-16 units of all texts and all base64 of one read. Default 8,388,608; more is refused with
   * `message_too_large`.
   */
  readonly maxContentLength?: number | undefined;
  /** Pieces of one read. Default 1,000; more are refused with `message_too_large`. */
  readonly maxContents?: number | undefined;
  /**
   * Whether and how reads are kept. Default: they are not. `{}` keeps them as its own defaults say.
   * A function is asked before each read; when it says something else, all reads are forgotten.
   */
  readonly cache?: ReadCacheOptions | (() => ReadCacheOptions | undefined) | undefined;
  /**
   * How long a server must have been quiet about changes of its lists before they are read again,
   * in milliseconds. Default 200; at most ten times that after the first.
   */
  readonly quietMs?: number | undefined;
  /**
   * On whose behalf lists are read again by themselves, and so whose lists the snapshot shows: a
   * list that is read for another principal or role, or with `meta`, is its caller's alone; a
   * change of it is told all the same. Default: nobody in particular.
   */
  readonly context?: CallContext | undefined;
  /**
   * Hears of a listener of a subscription whose promise rejects (`defect`), without its reasons.
   * Must not throw. Default: nobody does.
   */
  readonly onDiagnostic?: ((diagnostic: Diagnostic) => void) | undefined;
  /** Default: the real time. */
  readonly clock?: Clock | undefined;
}

/** How much is taken of one server's list. */
export interface ListLimits {
  readonly maxPages: number;
  readonly maxEntries: number;
  /** UTF-16 units of all entries, serialised. */
  readonly maxListingLength: number;
}

/** How much one read may bring. */
export interface ReadLimits {
  /** UTF-16 units of all texts and all base64 of one read. */
  readonly maxContentLength: number;
  /** Pieces of one read. */
  readonly maxContents: number;
}

/** Options that were read, with their defaults. */
export interface ResourcesSettings {
  readonly allows: AllowUri;
  readonly listTimeoutMs: number;
  readonly listWaitMs: number | undefined;
  readonly requestTimeoutMs: number;
  readonly listLimits: ListLimits;
  readonly readLimits: ReadLimits;
  /** Says how reads are kept now; `undefined`: not at all. */
  readonly cache: () => CacheSettings | undefined;
  readonly quietMs: number;
  readonly context: CallContext | undefined;
  readonly onDiagnostic: ResourcesOptions["onDiagnostic"];
  readonly clock: Clock;
}

function readCache(cache: ResourcesOptions["cache"]): ResourcesSettings["cache"] {
  if (typeof cache === "function") return () => readCacheOptions(cache());
  const settings = readCacheOptions(cache);
  return () => settings;
}

const fields: Fields<ResourcesOptions> = {
  allowedUris: true,
  listTimeoutMs: true,
  listWaitMs: true,
  requestTimeoutMs: true,
  maxPages: true,
  maxEntries: true,
  maxListingLength: true,
  maxContentLength: true,
  maxContents: true,
  cache: true,
  quietMs: true,
  context: true,
  onDiagnostic: true,
  clock: true,
};

/** Reads the options. Throws a `TypeError` that names what cannot be used. */
export function readResourcesOptions(options: ResourcesOptions): ResourcesSettings {
  assertKnownOptions("createResources()", options, fields);
  const { allowedUris, cache, context, onDiagnostic, clock = systemClock } = options;
  if (context !== undefined) assertCallContext(context);
  if (onDiagnostic !== undefined && typeof onDiagnostic !== "function") {
    throw new TypeError("onDiagnostic must be a function");
  }
  const count = (name: keyof ResourcesOptions & `max${string}`, otherwise: number): number =>
    readWholeNumber(options[name], name, { least: 1, otherwise });
  const timeMs = (name: "listTimeoutMs" | "listWaitMs" | "requestTimeoutMs", otherwise: number): number =>
    readWholeNumber(options[name], name, { least: 1, most: longestTimeoutMs, otherwise });
  return {
    allows: readAllowedUris(allowedUris),
    listTimeoutMs: timeMs("listTimeoutMs", 30_000),
    listWaitMs: options.listWaitMs === undefined ? undefined : timeMs("listWaitMs", 1),
    requestTimeoutMs: timeMs("requestTimeoutMs", 60_000),
    listLimits: {
      maxPages: count("maxPages", 64),
      maxEntries: count("maxEntries", 10_000),
      maxListingLength: count("maxListingLength", 32 * 1024 * 1024),
    },
    readLimits: {
      maxContentLength: count("maxContentLength", 8 * 1024 * 1024),
      maxContents: count("maxContents", 1000),
    },
    cache: readCache(cache),
    quietMs: readWholeNumber(options.quietMs, "quietMs", { least: 0, most: 60_000, otherwise: 200 }),
    context,
    onDiagnostic,
    clock,
  };
}
