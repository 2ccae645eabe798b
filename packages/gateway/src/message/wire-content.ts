import { isKnownContent, readContent, type ContentBlock, type JsonObject } from "@hostside/core";
import { checkBase64 } from "@hostside/core/implement";

/**
 * Content as every client accepts it. A block of a kind that the specification does not have, and
 * one that lacks what its kind must have, is a text that says so.
 */
export function toWireContent(content: unknown): readonly JsonObject[] {
  return readContent(content).map(toWireBlock);
}

/** One piece of a resource: bytes whose base64 is not valid become a text that says so. */
export function toWireContents(piece: JsonObject): JsonObject {
  const { blob, ...rest } = piece;
  if (typeof blob !== "string") return piece;
  const data = readBase64(blob);
  if (data === blob) return piece;
  return data === undefined
    ? { ...rest, mimeType: "text/plain", text: notShown("its base64 is not valid") }
    : { ...rest, blob: data };
}

function toWireBlock(block: ContentBlock): JsonObject {
  if (!isKnownContent(block))
    return text(`${whatIs(block.type)}: MCP has no such kind, or it lacks what its kind must have`);
  switch (block.type) {
    case "image":
    case "audio": {
      const data = readBase64(block.data);
      if (data === undefined) return text(`its kind is "${block.type}", and its base64 is not valid`);
      return data === block.data ? block : { ...block, data };
    }
    case "resource": {
      const resource = toWireContents(block.resource);
      return resource === block.resource ? block : { ...block, resource };
    }
    default:
      return block;
  }
}

// No words of a server may stand in a notice of the host's.
const properKind = /^[\w.:/+-]{1,40}$/;

function whatIs(kind: string): string {
  return properKind.test(kind) ? `its kind is ${JSON.stringify(kind)}` : "its kind has no proper name";
}

function text(why: string): JsonObject {
  return { type: "text", text: notShown(why) };
}

function notShown(why: string): string {
  return `[a part of the answer is not shown: ${why}]`;
}

// Nothing is base64, too: an empty file.
function readBase64(data: string): string | undefined {
  if (data === "") return data;
  const checked = checkBase64(data);
  return checked.kind === "good" ? checked.data : undefined;
}
