import { bytesOf } from "@hostside/core/implement";

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

/** Whether pictures of this type begin in a way that can be checked. */
export function hasSignature(type: string): boolean {
  return signatures.some(([known]) => known === type);
}
