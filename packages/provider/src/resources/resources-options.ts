import type { Diagnostic } from "@hostside/core";
import { assertKnownOptions, type Fields } from "@hostside/core/implement";
import { readCacheOptions, type CacheSettings, type ReadCacheOptions } from "./read-cache.ts";
import { readAllowedUris, type AllowUri } from "./check-uri.ts";

/** Options of {@linkcode createResources}. */
export interface ResourcesOptions {
  /**
   * The beginnings of the URIs that are read and subscribed to: schemes in any case (`"file"`) or
   * beginnings (`"file:///srv/"`). Or a function that says it of each URI, and must not throw.
   * Other URIs are refused with `not_allowed` before a server is started. Default, and with `[]`:
   * all.
   */
  readonly allowedUris?: readonly string[] | AllowUri | undefined;
  /**
   * Says whether and how reads are kept. Default: they are not. `{}` keeps them as its own defaults
   * say. A function is asked before each read; when it says something else, all reads are
   * forgotten.
   */
  readonly cache?: ReadCacheOptions | (() => ReadCacheOptions | undefined) | undefined;
  /**
   * Hears of a listener of a subscription whose promise rejects (`defect`), without its reasons.
   * Must not throw. Default: nobody does.
   */
  readonly onDiagnostic?: ((diagnostic: Diagnostic) => void) | undefined;
}

/** How long one server's list may take, connecting included, in milliseconds. */
export const listTimeoutMs = 30_000;

/** The same for one read, subscription or other request. */
export const requestTimeoutMs = 60_000;

/** How many UTF-16 units one read or prompt may have in all. */
export const maxContentLength: number = 8 * 1024 * 1024;

/** How many pieces one read, or messages one prompt, may have. */
export const maxContents = 1000;

/** Options that were read, with their defaults. */
export interface ResourcesSettings {
  readonly allows: AllowUri;
  /** Says how reads are kept now; `undefined`: not at all. */
  readonly cache: () => CacheSettings | undefined;
  readonly onDiagnostic: ResourcesOptions["onDiagnostic"];
}

function readCache(cache: ResourcesOptions["cache"]): ResourcesSettings["cache"] {
  if (typeof cache === "function") return () => readCacheOptions(cache());
  const settings = readCacheOptions(cache);
  return () => settings;
}

const fields: Fields<ResourcesOptions> = {
  allowedUris: true,
  cache: true,
  onDiagnostic: true,
};

/** Reads the options. Throws a `TypeError` that names what cannot be used. */
export function readResourcesOptions(options: ResourcesOptions): ResourcesSettings {
  assertKnownOptions("createResources()", options, fields);
  const { allowedUris, cache, onDiagnostic } = options;
  if (onDiagnostic !== undefined && typeof onDiagnostic !== "function")
    throw new TypeError("onDiagnostic must be a function");
  return {
    allows: readAllowedUris(allowedUris),
    cache: readCache(cache),
    onDiagnostic,
  };
}
