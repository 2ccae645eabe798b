import { isKnownContent, type ContentBlock, type ToolOutcome } from "@hostside/core";
import { assertKnownOptions, checkBase64, kindOf, type Fields } from "@hostside/core/implement";
import { readError } from "../errors/present-error.ts";
import { readMedia } from "../media/read-media.ts";
import { presentDefaults } from "../present/present-options.ts";
import { readOutcome, type SafeOutcome } from "../present/read-outcome.ts";
import { describeLink } from "../present/read-pieces.ts";
import { repeatsStructured, structuredBesideBlocks, type StructuredJson } from "../present/structured-json.ts";
import { codePointsIn, oneLine, quoted, unitAfter } from "../present/untrusted.ts";

type EmbeddedResource = Extract<ContentBlock, { readonly type: "resource" }>;

/** Bytes of a resource that was sent along, checked: standard base64, padded. */
export interface EvvaBlob {
  readonly data: string;
  /** Decoded. */
  readonly bytes: number;
  readonly mimeType: string | undefined;
  /** The server's word: never a path. */
  readonly uri: string;
}

/** How a result becomes one of evva's. */
export interface EvvaOptions {
  /**
   * Says where bytes are kept: the path of a file that was written before, or is now. `undefined`:
   * they are not kept. What it throws becomes a line in the result. Default: nothing is kept, and a
   * line says so.
   */
  readonly saveBlob?: ((blob: EvvaBlob) => string | undefined) | undefined;
}

/** A picture of a result. */
export interface EvvaImage {
  readonly type: "image";
  readonly mimeType: string;
  /** Base64. */
  readonly data: string;
  /** Decoded. */
  readonly bytes: number;
}

/** A result as evva's tools answer it. */
export interface EvvaResult {
  readonly content: string;
  readonly contentBlocks: readonly EvvaImage[];
  readonly isError: boolean;
}

const fields: Fields<EvvaOptions> = { saveBlob: true };
const longest = 100_000;

/**
 * A result in the shape that evva's agents know: each text and a line break, pictures beside it,
 * bytes in files of which a line tells, cut at 100,000 code points with `[truncated N chars]`.
 * Embedded texts, links and structured content, which evva lost, are there as texts. Pictures are
 * those of {@linkcode presentDefaults}; any other becomes a line. Pure but for `saveBlob`, and
 * never throws for any outcome.
 */
export function presentAsEvva(outcome: ToolOutcome | undefined, options: EvvaOptions = {}): EvvaResult {
  assertKnownOptions("presentAsEvva()", options, fields);
  if (options.saveBlob !== undefined && typeof options.saveBlob !== "function") {
    throw new TypeError(`saveBlob of presentAsEvva() must be a function, not ${kindOf(options.saveBlob)}`);
  }
  if (outcome === undefined || outcome === null)
    return { content: "mcp: nil result", contentBlocks: [], isError: true };
  const safe = readOutcome(outcome, presentDefaults.maxBlocks);
  const images: EvvaImage[] = [];
  const lines = safe.blocks.map((block) => lineFor(block, { safe, images, saveBlob: options.saveBlob }));
  if (safe.count > safe.blocks.length) lines.push(`[${safe.count - safe.blocks.length} more blocks are not shown]`);
  lines.push(structuredLine(safe));
  // Of a line no more than may be shown is joined: all of them may be too much for any runtime.
  const all = lines.flatMap((line) => (line === undefined ? [] : `${line}\n`));
  const joined = all.map((line) => line.slice(0, 2 * longest)).join("");
  const text = joined.slice(0, unitAfter(joined, 0, longest));
  const missing = Math.max(
    0,
    all.reduce((sum, line) => sum + codePointsIn(line, 0, line.length), -longest),
  );
  const marker = missing === 0 ? "" : `\n\n[truncated ${missing} chars]`;
  return { content: text.toWellFormed() + marker, contentBlocks: images, isError: safe.isError };
}

/**
 * An error in the shape that evva's agents know: `mcp: decode args: …` where the arguments are
 * wrong, otherwise `mcp: call failed: …`.
 */
export function presentErrorAsEvva(error: unknown): EvvaResult {
  const { code, message, violations = [] } = readError(error).error;
  const what = code === "invalid_arguments" ? "decode args" : "call failed";
  const lines = violations.map(({ pointer, message: rule }) => `\n- ${pointer}: ${rule}`);
  return { content: `mcp: ${what}: ${message}${lines.join("")}`.toWellFormed(), contentBlocks: [], isError: true };
}

interface Line {
  readonly safe: SafeOutcome;
  readonly images: EvvaImage[];
  readonly saveBlob: EvvaOptions["saveBlob"];
}

// One of all blocks that are no texts; `undefined` where there is nothing to say.
function lineFor(block: ContentBlock | undefined, line: Line): string | undefined {
  if (block === undefined) return "[content that is no block]";
  if (!isKnownContent(block)) return `[content of the kind ${quoted(block.type)} not shown]`;
  switch (block.type) {
    case "text":
      return block.text;
    case "image": {
      const read = readMedia(block, { types: presentDefaults.mediaTypes, maxItemBytes: presentDefaults.maxItemBytes });
      if (read.kind === "omitted") return `[image content (${oneLine(block.mimeType, 80)}) not shown: ${read.why}]`;
      if (line.images.length >= presentDefaults.maxItems)
        return `[image content (${read.media.mimeType}) not shown: too many]`;
      const { mimeType, data, bytes } = read.media;
      line.images.push({ type: "image", mimeType, data, bytes });
      return undefined;
    }
    case "audio":
      return `[audio content (${oneLine(block.mimeType, 80)}, ${decodedSize(block.data)} bytes) from ${placeOf(line.safe)} — not rendered inline]`;
    case "resource_link":
      return describeLink(block);
    case "resource":
      return resourceLine(block.resource, line);
  }
}

function resourceLine(resource: EmbeddedResource["resource"], { safe, saveBlob }: Line): string {
  if (resource.text !== undefined) return `Resource: ${oneLine(resource.uri, 512)}\n${resource.text}`;
  if (saveBlob === undefined) {
    return `[binary content from ${placeOf(safe)} received but blob persistence disabled (no AppHome configured)]`;
  }
  const checked = checkBase64(resource.blob ?? "");
  if (checked.kind === "bad") return `[binary content not saved: its base64 is not valid, ${checked.problem}]`;
  const { data, bytes } = checked;
  try {
    const path = saveBlob({ data, bytes, mimeType: resource.mimeType, uri: resource.uri });
    return path === undefined ? "[binary content not saved]" : `[binary content saved at ${path}, ${bytes} bytes]`;
  } catch (error) {
    return `[binary content not saved: ${readError(error).error.message}]`;
  }
}

function structuredLine(safe: SafeOutcome): string | undefined {
  const written = unsaidStructured(safe);
  if (written === undefined) return undefined;
  return written.kind === "json" ? written.json : `[structured content not shown: ${written.why}]`;
}

function placeOf({ origin }: SafeOutcome): string {
  return `${oneLine(origin?.serverId ?? "", 128)}/${oneLine(origin?.toolName ?? "", 128)}`;
}

/** How many bytes base64 is, decoded; of a text that is none, how long it is. */
export function decodedSize(data: string): number {
  const checked = checkBase64(data);
  return checked.kind === "good" ? checked.bytes : data.length;
}

/**
 * The structured content, where there is one that no text and no other block of the result says.
 */
export function unsaidStructured(outcome: SafeOutcome): StructuredJson | undefined {
  const written = structuredBesideBlocks(outcome);
  if (written?.kind !== "json") return written;
  const isSaid = outcome.blocks.some(
    (block) =>
      block !== undefined &&
      isKnownContent(block) &&
      block.type === "text" &&
      repeatsStructured(block.text, written.json),
  );
  return isSaid ? undefined : written;
}
