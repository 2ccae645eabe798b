import type { JsonObject } from "@hostside/core";

/** One kind of list that servers have: of resources, templates or prompts. */
export interface ListDefinition<T> {
  /** Such as `resources/list`. */
  readonly method: string;
  /** The member of a page that has the entries. */
  readonly member: string;
  /** What a server declares that has such a list. One that does not is not asked. */
  readonly capability: "resources" | "prompts";
  /** Reads an entry; a text says why it cannot be used. */
  readonly read: (entry: JsonObject, serverId: string) => T | string;
  /** What an entry is known by on its server. The first of two equal ones is kept. */
  readonly keyOf: (entry: T) => string;
}

/** How much is taken of one server's list. */
export interface ListLimits {
  readonly maxPages: number;
  readonly maxEntries: number;
  /** UTF-16 units of all entries, serialised. */
  readonly maxListingLength: number;
}

/** An entry of a list that was left out, and why. */
export interface DroppedEntry {
  readonly serverId: string;
  /** Where it stood in the server's list, from 0. */
  readonly index: number;
  readonly reason: string;
}
