import { type ContentBlock, type UnknownContentBlock, isKnownContent } from "./content-block.ts";
import type { JsonObject, JsonValue } from "./json.ts";

// Compiles only while a comparison, a switch and the guard each leave what their reader expects,
// without a cast.
export function textOf(block: ContentBlock): string | undefined {
  return block.type === "text" ? block.text : undefined;
}

export function describe(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "image":
    case "audio":
      return block.data + block.mimeType;
    case "resource_link":
      return block.uri + block.name + (block.title ?? "");
    case "resource":
      return block.resource.text === undefined ? block.resource.blob : block.resource.text;
    default:
      return whole(block);
  }
}

export function sizeOf(block: ContentBlock): string {
  return isKnownContent(block) ? block.type : whole(block);
}

export function textsOf(blocks: readonly ContentBlock[]): readonly string[] {
  return blocks.flatMap((block) => (block.type === "text" ? [block.text] : []));
}

export function isCard(block: ContentBlock): boolean {
  const kind: string = block.type;
  return kind === "acme/card";
}

// Data, so that it can be sent on or written down; and its members are there to read, whatever its
// kind.
export const asData = (block: ContentBlock): JsonObject => block;
export const anyMember = (block: ContentBlock): JsonValue | undefined => block["width"];
export const written: readonly ContentBlock[] = [
  { type: "text", text: "a" },
  { type: "resource", resource: { uri: "file:///a", blob: "AA==" } },
];

// @ts-expect-error A known kind has its members.
export const withoutText: ContentBlock = { type: "text" };
// @ts-expect-error What is only claimed is no text.
export const claimed = (block: UnknownContentBlock): string => block["text"];

function whole(block: UnknownContentBlock): string {
  return JSON.stringify(block);
}
