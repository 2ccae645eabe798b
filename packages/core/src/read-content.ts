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

/**
 * Gives a value back when it is what it must be, without its parts that are not; `undefined` when
 * it is not.
 */
type Reader = (value: unknown) => unknown;

type Members = Readonly<Record<string, Reader>>;

// The members that a type names, but for the `type` by which its reader is found. A member more or
// less there does not compile here.
type Named<T> = keyof { [K in keyof T as string extends K ? never : K extends "type" ? never : K]: T[K] } & keyof T;
type MustHave<T> = { readonly [K in Named<T> as object extends Pick<T, K> ? never : K]: Reader };
type MayHave<T> = { readonly [K in Named<T> as object extends Pick<T, K> ? K : never]-?: Reader };

const readText: Reader = (value) => (typeof value === "string" ? value : undefined);
const readNumber: Reader = (value) => (typeof value === "number" ? value : undefined);
const readObject: Reader = (value) => (isJsonObject(value) ? value : undefined);
const readTexts = listOf(readText);

const extras: MayHave<ContentExtras> = {
  annotations: objectOf<ContentAnnotations>({}, { audience: readTexts, priority: readNumber, lastModified: readText }),
  _meta: readObject,
};
const readIcon = objectOf<ContentIcon>({ src: readText }, { mimeType: readText, sizes: readTexts, theme: readText });
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
        icons: listOf(readIcon),
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
 * `malformed:image`. What is no block at all is left out, and what is no array has none. Whatever
 * is as it should be is the very object that was given; nothing given is changed. For those who
 * make outcomes: keep what the server said as `raw`.
 */
export function readContent(content: unknown): readonly ContentBlock[] {
  const blocks: ContentBlock[] = [];
  for (const entry of Array.isArray(content) ? (content as readonly unknown[]) : []) {
    const block = readBlock(entry);
    if (block !== undefined) blocks.push(block);
  }
  return blocks;
}

/** Whether a block is of a kind that the specification has, and so has what that kind must have. */
export function isKnownContent(block: ContentBlock): block is KnownContentBlock {
  return kinds.has(block.type);
}

function readBlock(value: unknown): ContentBlock | undefined {
  if (!isJsonObject(value) || typeof value["type"] !== "string") return undefined;
  const { type, text } = value;
  // Nearly all there are, and what the reader of texts would say of them.
  const isPlainText = type === "text" && typeof text === "string" && value["annotations"] === undefined;
  if (isPlainText && value["_meta"] === undefined) return value as unknown as TextContent;
  const read = kinds.get(type);
  const block = read === undefined ? value : (read(value) ?? { ...value, type: `malformed:${type}` });
  return block as ContentBlock;
}

function objectOf<T>(mustHave: MustHave<T>, mayHave: MayHave<T>): Reader {
  const needed = membersOf(mustHave);
  const optional = membersOf(mayHave);
  return (value) => {
    if (!isJsonObject(value)) return undefined;
    let mended: Record<string, unknown> | undefined;
    for (const { name, read } of needed) {
      const found = value[name];
      const kept = read(found);
      if (kept === undefined) return undefined;
      if (kept !== found) (mended ??= { ...value })[name] = kept;
    }
    for (const { name, read } of optional) {
      const found = value[name];
      if (found === undefined) continue;
      const kept = read(found);
      if (kept === found) continue;
      mended ??= { ...value };
      if (kept === undefined) delete mended[name];
      else mended[name] = kept;
    }
    return mended ?? value;
  };
}

// Not as pairs, which take a walk each to be read, with every block.
function membersOf(members: Members): readonly { readonly name: string; readonly read: Reader }[] {
  return Object.entries(members).map(([name, read]) => ({ name, read }));
}

function listOf(read: Reader): Reader {
  return (value) => {
    if (!Array.isArray(value)) return undefined;
    const kept = value.map((entry) => read(entry));
    return kept.every((entry, index) => entry === value[index]) ? value : kept.filter((entry) => entry !== undefined);
  };
}

function nothing(): undefined {
  return undefined;
}
