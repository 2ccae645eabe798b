import { isKnownContent, type ContentBlock } from "@hostside/core";
import type { OutcomePiece } from "../presented.ts";
import { checkBase64 } from "@hostside/core/implement";
import { normalMediaType } from "../media/read-media.ts";
import type { SafeOutcome } from "../present/read-outcome.ts";
import { writeStructured } from "../present/structured-json.ts";
import { decodeBase64 } from "./encode-base64.ts";

/** Bytes to be kept, as one reads them again. */
export interface PieceContent {
  readonly data: Uint8Array;
  readonly mimeType: string;
  /** The same as a text; `undefined` for what is none. */
  readonly text: string | undefined;
}

const encoder = new TextEncoder();
const octets = "application/octet-stream";

/**
 * Reads the content of a piece to be kept: a text as UTF-8, with U+FFFD for each lone surrogate,
 * which UTF-8 does not have; media as the bytes that their base64 stands for; structured content as
 * JSON. `undefined` for what nobody could read: bad base64, what is no JSON, a kind that is not
 * known. `"too-large"` for what has more than `maxBytes` for sure: it is neither written nor
 * decoded. Nothing of `_meta`. Linear.
 */
export function contentOf(
  { blocks, count, structured }: SafeOutcome,
  piece: OutcomePiece,
  maxBytes: number,
): PieceContent | "too-large" | undefined {
  if (piece.part === "structured") {
    const written = writeStructured(structured?.value);
    return written.kind === "json" ? textContent(written.json, "application/json", maxBytes) : undefined;
  }
  if (piece.part === "rest") {
    const parts: string[] = [];
    let units = 0;
    for (const block of blocks.slice(piece.from)) {
      const part = describeBlock(block);
      units += part.length;
      // Blocks may be one and the same long text a hundred thousand times: joined, no runtime has
      // room for it.
      if (units > maxBytes) return "too-large";
      parts.push(part);
    }
    if (count > blocks.length) parts.push(`[${count - blocks.length} more blocks were not kept]`);
    return textContent(parts.join("\n\n"), "text/plain", maxBytes);
  }
  const block = blocks[piece.index];
  return block === undefined ? undefined : contentOfBlock(block, maxBytes);
}

/** The bytes of a block's media or resource, or its text. */
function contentOfBlock(block: ContentBlock, maxBytes: number): PieceContent | "too-large" | undefined {
  if (!isKnownContent(block)) return undefined;
  switch (block.type) {
    case "text":
      return textContent(block.text, "text/plain", maxBytes);
    case "image":
    case "audio":
      return bytesContent(block.data, block.mimeType, maxBytes);
    case "resource": {
      const { text, blob, mimeType } = block.resource;
      return text === undefined
        ? bytesContent(blob ?? "", mimeType, maxBytes)
        : textContent(text, mimeType ?? "text/plain", maxBytes);
    }
    case "resource_link":
      return textContent(linkText(block.uri, block.name), "text/plain", maxBytes);
  }
}

function textContent(text: string, mimeType: string, maxBytes: number): PieceContent | "too-large" {
  // In UTF-8 a text has no fewer bytes than UTF-16 units.
  if (text.length > maxBytes) return "too-large";
  return { data: encoder.encode(text), mimeType: normalMediaType(mimeType) ?? "text/plain", text };
}

function bytesContent(
  base64: string,
  mimeType: string | undefined,
  maxBytes: number,
): PieceContent | "too-large" | undefined {
  const checked = checkBase64(base64);
  if (checked.kind === "bad") return undefined;
  if (checked.bytes > maxBytes) return "too-large";
  const data = decodeBase64(checked.data);
  const type = normalMediaType(mimeType ?? "") ?? octets;
  return { data, mimeType: type, text: isTextType(type) ? fromUtf8(data) : undefined };
}

function isTextType(type: string): boolean {
  return type.startsWith("text/") || /^application\/(?:[\w.+-]+\+)?(?:json|xml|yaml|x-ndjson|javascript)$/.test(type);
}

function fromUtf8(data: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(data);
  } catch {
    return undefined;
  }
}

/** A block in a text of many: what is no text is named. */
function describeBlock(block: ContentBlock | undefined): string {
  if (block === undefined || !isKnownContent(block)) return "[a block of a kind that is not known]";
  switch (block.type) {
    case "text":
      return block.text;
    case "image":
    case "audio":
      return `[${block.type} ${normalMediaType(block.mimeType) ?? octets}]`;
    case "resource": {
      const { uri, text, mimeType } = block.resource;
      const head = `Resource: ${uri}`;
      return text === undefined ? `${head}\n[${normalMediaType(mimeType ?? "") ?? octets}]` : `${head}\n${text}`;
    }
    case "resource_link":
      return linkText(block.uri, block.name);
  }
}

function linkText(uri: string, name: string): string {
  return `Resource: ${uri}\nName: ${name}`;
}
