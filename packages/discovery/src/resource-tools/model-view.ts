import { cleanText, type CallOptions, type JsonObject, type Resource, type ResourceContents } from "@hostside/core";
import type { ResourceTemplate } from "@hostside/core";
import { headWithin, isAppUri, quoteText, utf8Length } from "@hostside/core/implement";
import type { SourceFailure } from "./resource-source.ts";
import { failureTextOf, readOptionsOf, type ToolParts } from "./resource-tool.ts";

/** What is listed: resources, or templates of them. */
export type ListedKind = "resources" | "templates";

/** Entries of several servers. */
export interface FoundEntries {
  /**
   * Sorted by server id, then by URI or template; those of apps are left out, because they are for
   * users.
   */
  readonly entries: readonly (Resource | ResourceTemplate)[];
  readonly failures: readonly SourceFailure[];
}

/** Asks these servers. */
export async function findEntries(
  { resources }: ToolParts,
  { kind, servers }: { readonly kind: ListedKind; readonly servers: readonly string[] },
  options: CallOptions,
): Promise<FoundEntries> {
  const asked = { ...readOptionsOf(options), servers };
  const { failures, ...found } =
    kind === "resources" ? await resources.list(asked) : await resources.listTemplates(asked);
  const entries: readonly (Resource | ResourceTemplate)[] = "resources" in found ? found.resources : found.templates;
  return { entries: entries.filter((entry) => !isAppUri("uri" in entry ? entry.uri : entry.uriTemplate)), failures };
}

// Entries and bytes, in UTF-8, of one answer.
const maxEntries = 200;
const maxListBytes = 65_536;

/** The first of `values` that fit, as JSON; at least one. */
export function takeEntries(values: readonly JsonObject[]): readonly JsonObject[] {
  const taken: JsonObject[] = [];
  let bytes = 0;
  for (const value of values) {
    bytes += utf8Length(JSON.stringify(value)) + 1;
    if (taken.length >= maxEntries || (bytes > maxListBytes && taken.length > 0)) break;
    taken.push(value);
  }
  return taken;
}

/**
 * What of an entry's texts a model gets, bounded and without what hides in texts. The URI stays as
 * it is, because it names the resource.
 */
export function entryTextsOf(entry: Resource | ResourceTemplate): {
  readonly name: string;
  readonly title?: string;
  readonly mimeType?: string;
  readonly description?: string;
} {
  const { name, title, mimeType, description } = entry;
  return {
    name: cleanText(name, 256),
    ...(title !== undefined && { title: cleanText(title, 256) }),
    ...(mimeType !== undefined && { mimeType: cleanText(mimeType, 256) }),
    ...(description !== undefined && { description: cleanText(description, 1024) }),
  };
}

// Bytes of all texts of one read, in UTF-8.
const maxReadBytes = 262_144;

/** What is asked for by a model. */
export interface AskedResource {
  readonly serverId: string;
  readonly uri: string;
}

/** Contents, or words for a model on why there are none. */
export type ReadForModel =
  | { readonly kind: "read"; readonly contents: readonly ResourceContents[] }
  | { readonly kind: "failed"; readonly problem: string };

/**
 * Reads a resource. What ends the call itself is thrown; whatever else goes wrong is said to the
 * model.
 */
export async function readForModel(
  { resources }: ToolParts,
  { serverId, uri }: AskedResource,
  options: CallOptions,
): Promise<ReadForModel> {
  if (isAppUri(uri)) return { kind: "failed", problem: `${quoteText(uri)} is shown to users, and cannot be read here` };
  try {
    const { contents } = await resources.read({ serverId, uri }, readOptionsOf(options));
    return { kind: "read", contents };
  } catch (error) {
    return { kind: "failed", problem: failureTextOf(error, options) };
  }
}

/** One piece of a resource as a model gets it: a text, or where bytes are. Never the bytes. */
export interface ModelPiece {
  readonly uri: string;
  readonly mimeType?: string;
  readonly text?: string;
  /** What `saveBlob` said. */
  readonly savedTo?: string;
  /** Decoded, at most; of bytes that were not kept. */
  readonly bytes?: number;
}

/** Pieces that fit, and how many characters of texts do not. */
export interface ModelPieces {
  readonly pieces: readonly ModelPiece[];
  /** Code points that were cut off, in all texts together. */
  readonly missing: number;
  /** Pieces that are not there at all. */
  readonly more: number;
}

/**
 * Keeps bytes, and cuts texts, with the URIs of their pieces, to 256 KiB together, between
 * code points.
 */
export async function boundPieces(
  { settings }: ToolParts,
  { serverId, contents }: { readonly serverId: string; readonly contents: readonly ResourceContents[] },
  options: CallOptions,
): Promise<ModelPieces> {
  const pieces: ModelPiece[] = [];
  let left = maxReadBytes;
  let missing = 0;
  for (const { uri, mimeType: type, text, blob } of contents) {
    const mimeType = type === undefined ? undefined : cleanText(type, 256);
    const head = { uri, ...(mimeType !== undefined && { mimeType }) };
    left -= utf8Length(uri) + utf8Length(mimeType ?? "");
    if (left <= 0 && pieces.length > 0) return { pieces, missing, more: contents.length - pieces.length };
    if (text === undefined) {
      const savedTo = await save(settings.saveBlob, { serverId, uri, mimeType: type, blob }, options);
      pieces.push({ ...head, ...(savedTo === undefined ? { bytes: decodedLength(blob) } : { savedTo }) });
      continue;
    }
    const kept = text.slice(0, headWithin(text, Math.max(0, left)).end);
    left -= utf8Length(kept);
    missing += countPoints(text.slice(kept.length));
    pieces.push({ ...head, text: kept });
  }
  return { pieces, missing, more: 0 };
}

/** Has bytes kept; `undefined` where they are not. What ends the call is thrown. */
export async function save(
  saveBlob: ToolParts["settings"]["saveBlob"],
  blob: Parameters<NonNullable<ToolParts["settings"]["saveBlob"]>>[0],
  { signal, context }: CallOptions,
): Promise<string | undefined> {
  if (saveBlob === undefined) return undefined;
  signal?.throwIfAborted();
  try {
    const savedTo = await saveBlob(blob, { signal, context });
    return typeof savedTo === "string" ? savedTo : undefined;
  } catch {
    // Where bytes cannot be kept, their size is still worth an answer; whoever keeps them knows why
    // he failed.
    signal?.throwIfAborted();
    return undefined;
  }
}

/** How many bytes base64 stands for, at most. */
export function decodedLength(base64: string): number {
  const padding = base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0;
  return Math.max(0, Math.floor((base64.length * 3) / 4) - padding);
}

function countPoints(text: string): number {
  let points = 0;
  for (const _ of text) points += 1;
  return points;
}
