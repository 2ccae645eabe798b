import type { JsonObject } from "@hostside/core";
import type { ResourceContents } from "@hostside/core";
import type { ReadContents } from "./read-contents.ts";

/** What was read of one resource. Everything in it is a server's: untrusted. */
export interface ResourceRead extends ReadContents {
  readonly serverId: string;
  /** What was asked for; a piece of the contents has a URI of its own, as the server says. */
  readonly uri: string;
  /** Texts and base64 as they came. `_meta` of a piece is for the host, never for a model. */
  readonly contents: readonly ResourceContents[];
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
