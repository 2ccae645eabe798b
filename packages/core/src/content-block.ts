import { type JsonObject, isJsonObject } from "./json.ts";
import {
  listOf,
  objectOf,
  oneOf,
  readDateTime,
  readNumber,
  readObject,
  readText,
  readTexts,
  type MayHave,
  type Reader,
} from "./options.ts";

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

/**
 * Reads what a server says about whom something is for, without what the specification does not
 * have.
 */
export const readContentAnnotations: Reader = objectOf<ContentAnnotations>(
  {},
  {
    audience: listOf(oneOf("user", "assistant")),
    priority: (value) => (typeof value === "number" && value >= 0 && value <= 1 ? value : undefined),
    lastModified: readDateTime,
  },
);
/** The icons of a tool, a resource or a prompt. */
export const readIcons: Reader = listOf(
  objectOf<ContentIcon>({ src: readText }, { mimeType: readText, sizes: readTexts, theme: oneOf("light", "dark") }),
);

const extras: MayHave<ContentExtras> = {
  annotations: readContentAnnotations,
  _meta: readObject,
};
const readTextResource = objectOf<TextResourceContents>(
  { uri: readText, text: readText },
  { blob: nothing, mimeType: readText, _meta: readObject },
);
const readBlobResource = objectOf<BlobResourceContents>(
  { uri: readText, blob: readText },
  { text: nothing, mimeType: readText, _meta: readObject },
);

const kinds: ReadonlyMap<string, Reader> = new Map<KnownContentBlock["type"], Reader>([
  ["text", objectOf<TextContent>({ text: readText }, extras)],
  ["image", objectOf<ImageContent>({ data: readText, mimeType: readText }, extras)],
  ["audio", objectOf<AudioContent>({ data: readText, mimeType: readText }, extras)],
  [
    "resource_link",
    objectOf<ResourceLink>(
      { uri: readText, name: readText },
      {
        ...extras,
        title: readText,
        description: readText,
        mimeType: readText,
        size: readNumber,
        icons: readIcons,
      },
    ),
  ],
  [
    "resource",
    objectOf<EmbeddedResource>({ resource: (value) => readTextResource(value) ?? readBlobResource(value) }, extras),
  ],
]);

/**
 * The `content` of a result as blocks that are what their types say: a block of an unknown kind as
 * it came; of a known kind without the optional members that are of the wrong type; and one that
 * lacks what its kind must have as an {@linkcode UnknownContentBlock} with a `type` such as
 * `malformed:image`. A string is a text, and an object that is no array is one block; `null` is
 * nothing, and anything else is `malformed:block`. Whatever is as it should be is the very object
 * that was given; nothing given is changed. For those who make outcomes: keep what the server said
 * as `raw`.
 */
export function readContent(content: unknown): readonly ContentBlock[] {
  const blocks: ContentBlock[] = [];
  for (const entry of Array.isArray(content) ? (content as readonly unknown[]) : [content]) {
    if (entry !== undefined && entry !== null) blocks.push(readBlock(entry));
  }
  return blocks;
}

/** Whether a block is of a kind that the specification has, and so has what that kind must have. */
export function isKnownContent(block: ContentBlock): block is KnownContentBlock {
  return kinds.has(block.type);
}

function readBlock(value: unknown): ContentBlock {
  if (typeof value === "string") return { type: "text", text: value };
  if (!isJsonObject(value)) return { type: "malformed:block" } as unknown as ContentBlock;
  const { type, text } = value;
  // Nearly all there are, and what the reader of texts would say of them.
  const isPlainText = type === "text" && typeof text === "string" && value["annotations"] === undefined;
  if (isPlainText && value["_meta"] === undefined) return value as unknown as TextContent;
  if (typeof type !== "string") return { ...value, type: "malformed:block" } as unknown as ContentBlock;
  const read = kinds.get(type);
  const block = read === undefined ? value : (read(value) ?? { ...value, type: `malformed:${type}` });
  return block as ContentBlock;
}

function nothing(): undefined {
  return undefined;
}

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

/** Base64 as a model API takes it, or what is wrong with it, in words. */
export type CheckedBase64 =
  | { readonly kind: "good"; readonly data: string; readonly bytes: number }
  | { readonly kind: "bad"; readonly problem: string };

/**
 * Checks base64, and brings it into the form that every decoder takes (RFC 4648, section 4): a
 * `data:` URI is reduced to its data, blanks and line breaks go, the URL-safe alphabet becomes the
 * standard one, padding is added, and unused bits of the last character are cleared. Anything else
 * is refused. Never throws.
 */
export function checkBase64(text: string): CheckedBase64 {
  try {
    const binary = atob(withoutDataUri(text).replaceAll("-", "+").replaceAll("_", "/"));
    if (binary === "") return { kind: "bad", problem: "it is empty" };
    return { kind: "good", data: btoa(binary), bytes: binary.length };
  } catch {
    return { kind: "bad", problem: "it cannot be decoded" };
  }
}

/** Some bytes of checked base64, from the one with this index; fewer where it ends. */
export function bytesOf(data: string, start: number, count: number): readonly number[] {
  const group = Math.floor(start / 3);
  const binary = atob(data.slice(group * 4, Math.ceil((start + count) / 3) * 4));
  return Array.from(binary, (byte) => byte.charCodeAt(0)).slice(start - group * 3, start - group * 3 + count);
}

// Many servers send what an <img> takes. The head of such a URI is short.
function withoutDataUri(text: string): string {
  if (!/^data:/i.test(text)) return text;
  const [head] = /^data:[^,]{0,200};base64,/i.exec(text) ?? [""];
  return text.slice(head.length);
}
