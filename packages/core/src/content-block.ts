import type { JsonObject } from "./json.ts";

/**
 * Hints of a server about the audience of a piece of content and its importance. Hints from the
 * server: untrusted.
 */
export interface ContentAnnotations extends JsonObject {
  /** `"user"`, `"assistant"` or both. */
  readonly audience?: readonly string[];
  /** From 0, may be left out, to 1, must not. */
  readonly priority?: number;
  /** A date and time of ISO 8601, as the server wrote it. */
  readonly lastModified?: string;
}

/**
 * A picture that stands for a resource. To load it is to tell its server that somebody looked: a
 * host decides whether it does.
 */
export interface ContentIcon extends JsonObject {
  /** A URL or a `data:` URI, not checked. */
  readonly src: string;
  readonly mimeType?: string;
  /** Such as `48x48`, or `any`. */
  readonly sizes?: readonly string[];
  /** The background it is made for: `light` or `dark`. */
  readonly theme?: string;
}

/** The members that every kind of content may have. */
export interface ContentExtras extends JsonObject {
  readonly annotations?: ContentAnnotations;
  /** For the host; never shown to a model. */
  readonly _meta?: JsonObject;
}

/** A text. */
export interface TextContent extends ContentExtras {
  readonly type: "text";
  readonly text: string;
}

/** A picture. */
export interface ImageContent extends ContentExtras {
  readonly type: "image";
  /** Base64, not checked. */
  readonly data: string;
  readonly mimeType: string;
}

/** A sound. */
export interface AudioContent extends ContentExtras {
  readonly type: "audio";
  /** Base64, not checked. */
  readonly data: string;
  readonly mimeType: string;
}

/**
 * A resource that is named and not sent along. To read it is another request, and a host's
 * decision.
 */
export interface ResourceLink extends ContentExtras {
  readonly type: "resource_link";
  /** Not checked. */
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  /** In bytes, as the server says. */
  readonly size?: number;
  readonly icons?: readonly ContentIcon[];
}

/** A resource that is a text. */
export interface TextResourceContents extends JsonObject {
  readonly uri: string;
  readonly text: string;
  readonly blob?: undefined;
  readonly mimeType?: string;
  readonly _meta?: JsonObject;
}

/** A resource that is bytes. */
export interface BlobResourceContents extends JsonObject {
  readonly uri: string;
  /** Base64, not checked. */
  readonly blob: string;
  readonly text?: undefined;
  readonly mimeType?: string;
  readonly _meta?: JsonObject;
}

/** A resource that is sent along. It has a `blob` if its `text` is `undefined`. */
export interface EmbeddedResource extends ContentExtras {
  readonly type: "resource";
  readonly resource: TextResourceContents | BlobResourceContents;
}

/** The kinds of content of the specification, 2025-11-25 and 2026-07-28 alike ("Tool Result"). */
export type KnownContentBlock = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource;

// A text that is none of those: of all types that are texts, only an enumeration is not comparable
// with them, and so narrows away.
declare enum OtherKind {
  Any = "",
}

/**
 * A piece of a result of any other kind, as it came: one that this version does not know, or one
 * that claims a known kind and lacks what every block of it has, whose `type` then begins with
 * `malformed:`, such as `malformed:image`. The `type` is a text like any other; to compare it with
 * a kind that you know, take it as one: `const kind: string = block.type`.
 */
export interface UnknownContentBlock extends JsonObject {
  readonly type: OtherKind;
}

/**
 * One piece of a result. `block.type === "text"` makes it a `TextContent`, and a `switch`
 * over the known kinds leaves {@linkcode UnknownContentBlock}.
 */
export type ContentBlock = KnownContentBlock | UnknownContentBlock;
