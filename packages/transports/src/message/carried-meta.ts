import type { JsonObject } from "@hostside/core";
import { askForMeta, isPlainObject } from "@hostside/core/implement";

/** Gives what is to go along in `_meta`: an observer, or whoever made a connection. */
export interface MetaSource {
  readonly meta?: (() => JsonObject | undefined) | undefined;
}

/**
 * Puts what a source gives into the `_meta` of a request that has none; the same params where it
 * gives nothing, throws, or gives what is no object.
 */
export function withCarriedMeta(params: JsonObject, source: MetaSource | undefined): JsonObject {
  const carried = source?.meta === undefined ? undefined : carriedMeta(source);
  return carried === undefined ? params : { ...params, _meta: carried };
}

/** What a source gives; `undefined` where it gives nothing, throws, or gives what is no object. */
export function carriedMeta(source: MetaSource): JsonObject | undefined {
  const carried: unknown = askForMeta(source);
  return isPlainObject(carried) ? (carried as JsonObject) : undefined;
}
