import type { BlobResourceContents, ContentAnnotations, ContentIcon, TextResourceContents } from "./content-block.ts";
import type { JsonObject } from "./json.ts";

/** A text of an entry that was longer than is kept, and was cut. */
export type TruncatedField = "name" | "title" | "description";

/** The members that resources, templates and prompts share. All texts are a server's: untrusted. */
export interface ListedEntry {
  readonly serverId: string;
  /** At most 1,024 UTF-16 units. */
  readonly name: string;
  /** At most 1,024 UTF-16 units. */
  readonly title?: string;
  /** At most 8,192 UTF-16 units. */
  readonly description?: string;
  /** To load one is to tell its server that somebody looked. */
  readonly icons?: readonly ContentIcon[];
  /** The server's `_meta`, for the host; never for a model. */
  readonly meta?: JsonObject;
  /** The texts that were cut; absent if none were. */
  readonly cut?: readonly TruncatedField[];
}

/**
 * A resource as its server lists it. Its identity is its server's id and its URI, byte for byte.
 */
export interface Resource extends ListedEntry {
  /** At most 8,192 UTF-16 units. Never resolved by this host: only its server is asked for it. */
  readonly uri: string;
  readonly mimeType?: string;
  /** In bytes, as the server says. */
  readonly size?: number;
  readonly annotations?: ContentAnnotations;
}

/** A template for URIs of resources, as its server lists it. */
export interface ResourceTemplate extends ListedEntry {
  /** By RFC 6570; at most 8,192 UTF-16 units. Not expanded here. */
  readonly uriTemplate: string;
  /** The type of all that match it. */
  readonly mimeType?: string;
  readonly annotations?: ContentAnnotations;
}

/**
 * The contents of a resource: a text, or bytes in base64 (`blob`, not decoded). It has a `blob` if
 * its `text` is `undefined`.
 */
export type ResourceContents = TextResourceContents | BlobResourceContents;
/**
 * Whether a URI is of an app: what a server has its own interface in
 * (https://github.com/modelcontextprotocol/ext-apps). Its content is a page for the user, and never
 * for a model.
 */
export function isAppUri(uri: string): boolean {
  return /^ui:/i.test(uri);
}
