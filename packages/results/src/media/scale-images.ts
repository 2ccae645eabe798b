import { isKnownContent, type ContentBlock, type ToolOutcome } from "@hostside/core";
import { assertKnownOptions, kindOf, untilAborted, type Fields } from "@hostside/core/implement";
import { presentDefaults } from "../present/present-options.ts";
import { readOutcome } from "../present/read-outcome.ts";
import { structuredBesideBlocks } from "../present/structured-json.ts";
import { checkBase64 } from "@hostside/core/implement";
import { normalMediaType, pictureType } from "./media-type.ts";

/** A picture that is to be made smaller. */
export interface ImageToScale {
  /** Base64, checked: standard alphabet, padded, no blanks. */
  readonly data: string;
  /** What it is by its first bytes; else what its server says. */
  readonly mimeType: string;
  /** Decoded. */
  readonly bytes: number;
  /** What it may have afterwards. */
  readonly maxBytes: number;
  readonly signal: AbortSignal | undefined;
}

/** A picture that was made smaller. */
export interface ScaledImage {
  /** Base64. */
  readonly data: string;
  readonly mimeType: string;
}

/**
 * Makes a picture smaller, with whatever library the product has for it. `undefined` leaves it as
 * it is.
 */
export type ScaleImage = (image: ImageToScale) => ScaledImage | undefined | Promise<ScaledImage | undefined>;

/** Which pictures are made smaller. */
export interface ScaleLimits {
  /**
   * Pictures with more decoded bytes than that. Default 5 MiB, as media of a presentation. 0: all
   * of them, for a limit of pixels.
   */
  readonly maxBytes?: number | undefined;
  /** How many of one result. Default 8, as many as a presentation shows. */
  readonly maxItems?: number | undefined;
  /** Ends the work; what is not scaled by then stays as it is. */
  readonly signal?: AbortSignal | undefined;
}

const fields: Fields<ScaleLimits> = { maxBytes: true, maxItems: true, signal: true };

/**
 * The outcome with its large pictures made smaller by `scale`, one after the other; the very same
 * where there are none. `raw` stays. A picture for which `scale` throws, or answers none, stays as
 * it is, and a presentation says that it is too large. Never rejects for any outcome; a `TypeError`
 * names the option that breaks a rule.
 */
export async function scaleImages(
  outcome: ToolOutcome,
  scale: ScaleImage,
  limits: ScaleLimits = {},
): Promise<ToolOutcome> {
  if (typeof scale !== "function") throw new TypeError(`scaleImages() takes a function, not ${kindOf(scale)}`);
  assertKnownOptions("scaleImages()", limits, fields);
  return replaceBlocks(outcome, await scaledBlocks(outcome, scale, limits));
}

/**
 * The blocks that have a smaller picture now, by their place. Never rejects but as
 * {@linkcode scaleImages} does.
 */
export async function scaledBlocks(
  outcome: ToolOutcome,
  scale: ScaleImage,
  limits: ScaleLimits,
): Promise<ReadonlyMap<number, ContentBlock>> {
  const maxBytes = wholeNumber("maxBytes", limits.maxBytes, presentDefaults.maxItemBytes);
  const maxItems = wholeNumber("maxItems", limits.maxItems, presentDefaults.maxItems);
  const { signal } = limits;
  const blocks = new Map<number, ContentBlock>();
  let count = 0;
  for (const [index, block] of largePictures(outcome, maxBytes)) {
    if (count >= maxItems || signal?.aborted === true) break;
    count += 1;
    const scaled = await scaleBlock(block, scale, { maxBytes, signal });
    if (scaled !== undefined) blocks.set(index, scaled);
  }
  return blocks;
}

/**
 * The outcome with other blocks in some places, and without structured content that was all of its
 * blocks again; the very same where there are none, or where it cannot be copied.
 */
export function replaceBlocks(outcome: ToolOutcome, blocks: ReadonlyMap<number, ContentBlock>): ToolOutcome {
  if (blocks.size === 0) return outcome;
  try {
    const { structuredContent, ...rest } = outcome;
    const content = outcome.content.map((block, index) => blocks.get(index) ?? block);
    const isMore = structuredBesideBlocks(readOutcome(outcome, presentDefaults.maxBlocks)) !== undefined;
    return { ...rest, content, ...(isMore && structuredContent !== undefined && { structuredContent }) };
  } catch {
    // What throws when it is looked at stays with whoever made it.
    return outcome;
  }
}

type Limits = { readonly maxBytes: number; readonly signal: AbortSignal | undefined };

interface Picture {
  readonly data: string;
  readonly mimeType: string;
  readonly bytes: number;
  /** The block with another picture in place of its own. */
  readonly replace: (scaled: ScaledImage) => ContentBlock;
}

function* largePictures(outcome: ToolOutcome, maxBytes: number): Generator<readonly [number, Picture]> {
  const { blocks } = readOutcome(outcome, presentDefaults.maxBlocks);
  for (const [index, block] of blocks.entries()) {
    const picture = pictureOf(block);
    if (picture !== undefined && picture.bytes > maxBytes) yield [index, picture];
  }
}

function pictureOf(block: ContentBlock | undefined): Picture | undefined {
  if (block === undefined || !isKnownContent(block)) return undefined;
  if (block.type === "image") return readPicture(block, (scaled) => ({ ...block, ...scaled }));
  if (block.type !== "resource" || block.resource.blob === undefined) return undefined;
  const { resource } = block;
  return readPicture({ data: resource.blob, mimeType: resource.mimeType ?? "" }, ({ data, mimeType }) => ({
    ...block,
    resource: { ...resource, blob: data, mimeType },
  }));
}

function readPicture(claim: ScaledImage, replace: Picture["replace"]): Picture | undefined {
  const checked = checkBase64(claim.data);
  if (checked.kind === "bad") return undefined;
  const mimeType = pictureType(checked.data) ?? normalMediaType(claim.mimeType);
  if (mimeType === undefined || !mimeType.startsWith("image/")) return undefined;
  return { data: checked.data, bytes: checked.bytes, mimeType, replace };
}

async function scaleBlock(picture: Picture, scale: ScaleImage, limits: Limits): Promise<ContentBlock | undefined> {
  const { data, mimeType, bytes, replace } = picture;
  try {
    const work = Promise.resolve(scale({ data, mimeType, bytes, ...limits }));
    const scaled: unknown = await (limits.signal === undefined ? work : untilAborted(work, limits.signal));
    return isScaled(scaled) ? replace({ data: scaled.data, mimeType: scaled.mimeType }) : undefined;
  } catch {
    // The picture stays too large, and the notice on it says so.
    return undefined;
  }
}

function isScaled(value: unknown): value is ScaledImage {
  if (typeof value !== "object" || value === null || !("data" in value) || !("mimeType" in value)) return false;
  return typeof value.data === "string" && typeof value.mimeType === "string";
}

function wholeNumber(field: string, value: number | undefined, otherwise: number): number {
  if (value === undefined) return otherwise;
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new TypeError(`${field} of scaleImages() must be a whole number from 0`);
}
