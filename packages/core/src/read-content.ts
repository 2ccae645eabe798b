import type {
  AudioContent,
  BlobResourceContents,
  ContentAnnotations,
  ContentBlock,
  ContentExtras,
  ContentIcon,
  EmbeddedResource,
  ImageContent,
  KnownContentBlock,
  ResourceLink,
  TextContent,
  TextResourceContents,
} from "./content-block.ts";
import { isJsonObject } from "./json.ts";
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
