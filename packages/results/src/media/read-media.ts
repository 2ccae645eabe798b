import { bytesOf, checkBase64 } from "@hostside/core/implement";
import type { OmissionReason, PresentedMedia } from "../presented.ts";
import { pictureSize } from "./picture-size.ts";

// Anthropic refuses the request for a picture with a longer side; no API takes more.
const mostPixels = 8000;

/** The media that may be shown. */
export interface MediaRules {
  readonly types: readonly string[];
  readonly maxItemBytes: number;
}

/** Bytes as a server sent them. */
export interface MediaClaim {
  readonly data: string;
  readonly mimeType: string | undefined;
  readonly name?: string | undefined;
}

/** A medium that may be shown, or why it may not be, in words. */
export type ReadMedia =
  | { readonly kind: "shown"; readonly media: PresentedMedia }
  | {
      readonly kind: "omitted";
      readonly reason: OmissionReason;
      readonly why: string;
      readonly mimeType: string | undefined;
      readonly bytes: number | undefined;
    };

/**
 * Checks bytes that a server sent: their type, their base64, their decoded size, and for the kinds
 * of pictures that model APIs take whether they begin as such a picture does. A picture of another
 * of those kinds than its server says is shown as what it is; one that begins like none of them is
 * not shown, because it would cost the whole request. Data that is far too large is not looked at.
 */
export function readMedia(claim: MediaClaim, rules: MediaRules): ReadMedia {
  const claimed = normalMediaType(claim.mimeType ?? "");
  const omitted = (reason: OmissionReason, why: string, bytes?: number): ReadMedia => ({
    kind: "omitted",
    reason,
    why,
    mimeType: claimed,
    bytes,
  });
  const sniffed = mayBePicture(claimed);
  if (!sniffed && !isAllowed(claimed, rules)) return omitted("type-not-allowed", "media of its type are not allowed");
  // Blanks and line breaks make base64 a little longer, never twice as long.
  const most = Math.ceil((claim.data.length * 3) / 4);
  if (most > 2 * rules.maxItemBytes + 1024) return omitted("too-large", tooLarge(rules), most);
  const checked = checkBase64(claim.data);
  if (checked.kind === "bad") return omitted("bad-base64", `its base64 is not valid, ${checked.problem}`);
  const { data, bytes } = checked;
  const type = sniffed ? (pictureType(data) ?? claimed) : claimed;
  if (type === undefined || !isAllowed(type, rules)) {
    return omitted("type-not-allowed", "media of its type are not allowed", bytes);
  }
  // Some APIs count the base64, and refuse the whole request.
  if (data.length > rules.maxItemBytes) return omitted("too-large", tooLarge(rules), bytes);
  if (hasSignature(type) && pictureType(data) !== type) return omitted("wrong-type", "it is no such picture", bytes);
  const name = claim.name === undefined ? {} : { name: claim.name };
  const size = hasSignature(type) ? pictureSize(data, type) : undefined;
  if (hasSignature(type) && (size === undefined || size.width === 0 || size.height === 0)) {
    return omitted("wrong-type", "it is no whole picture", bytes);
  }
  if (size !== undefined && Math.max(size.width, size.height) > mostPixels) {
    const sides = `${size.width} x ${size.height} pixels`;
    return omitted("too-large", `${sides}, and a side may have ${mostPixels}`, bytes);
  }
  return { kind: "shown", media: { type: familyOf(type), mimeType: type, data, bytes, ...name } };
}

/** A number of bytes in words, such as `68 bytes` or `7.2 MiB`. */
export function bytesInWords(bytes: number): string {
  if (bytes < 1024) return `${bytes} ${bytes === 1 ? "byte" : "bytes"}`;
  return bytes < 1024 * 1024 ? `${oneDigit(bytes / 1024)} KiB` : `${oneDigit(bytes / 1024 / 1024)} MiB`;
}

/** Tells whether a type is among those allowed, of which one may be such as `audio/*`. */
function isAllowed(type: string | undefined, { types }: MediaRules): boolean {
  return (
    type !== undefined && types.some((one) => (one.endsWith("/*") ? type.startsWith(one.slice(0, -1)) : one === type))
  );
}

// What its server calls a picture, or nothing in particular.
function mayBePicture(type: string | undefined): boolean {
  return type === undefined || type === "application/octet-stream" || type.startsWith("image/");
}

function familyOf(type: string): PresentedMedia["type"] {
  if (type.startsWith("image/")) return "image";
  return type.startsWith("audio/") ? "audio" : "file";
}

function tooLarge({ maxItemBytes }: MediaRules): string {
  return `larger than the ${bytesInWords(maxItemBytes)} that are allowed`;
}

function oneDigit(value: number): string {
  return String(Math.round(value * 10) / 10);
}

const aliases: ReadonlyMap<string, string> = new Map([
  ["image/jpg", "image/jpeg"],
  ["image/pjpeg", "image/jpeg"],
  ["image/x-png", "image/png"],
]);
const shape = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,62}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,62}$/;

/**
 * A media type as APIs take it: lower case, without parameters and blanks, `image/jpg` and
 * `image/pjpeg` as `image/jpeg`, `image/x-png` as `image/png`. `undefined` for what is no media
 * type.
 */
export function normalMediaType(type: string): string | undefined {
  const [essence = ""] = type.slice(0, 200).split(";", 1);
  const lower = essence.trim().toLowerCase();
  return shape.test(lower) ? (aliases.get(lower) ?? lower) : undefined;
}

const signatures: readonly (readonly [type: string, at: number, bytes: string])[] = [
  ["image/png", 0, "\x89PNG\r\n\x1A\n"],
  ["image/jpeg", 0, "\xFF\xD8\xFF"],
  ["image/gif", 0, "GIF87a"],
  ["image/gif", 0, "GIF89a"],
  ["image/webp", 8, "WEBP"],
];

/**
 * Which of the four kinds of pictures that model APIs take the first bytes of checked base64 are,
 * if they are one of them.
 */
export function pictureType(data: string): string | undefined {
  const start = String.fromCharCode(...bytesOf(data, 0, 12));
  return signatures.find(
    ([type, at, bytes]) => start.startsWith(bytes, at) && (type !== "image/webp" || start.startsWith("RIFF")),
  )?.[0];
}

/** Tells whether pictures of this type begin in a way that can be checked. */
export function hasSignature(type: string): boolean {
  return signatures.some(([known]) => known === type);
}
