import { describe, expect, it } from "vitest";
import { pictureSize } from "./picture-size.ts";

const webp = (kind: string, ...rest: readonly number[]): readonly number[] => [
  ...Buffer.from("RIFF\0\0\0\0WEBP"),
  ...Buffer.from(kind),
  ...rest,
];
const exif = [0xff, 0xe1, 0x00, 0x04, 1, 2];

const pictures: readonly (readonly [name: string, type: string, bytes: readonly number[]])[] = [
  ["PNG", "image/png", [...Buffer.from("\x89PNG\r\n\x1A\n\0\0\0\rIHDR", "latin1"), 0, 0, 0x23, 0x28, 0, 0, 0, 5]],
  ["GIF", "image/gif", [...Buffer.from("GIF89a"), 0x28, 0x23, 5, 0]],
  ["JPEG", "image/jpeg", [0xff, 0xd8, ...exif, 0xff, 0xff, 0xc0, 0, 17, 8, 0, 5, 0x23, 0x28]],
  ["WebP, lossy", "image/webp", webp("VP8 ", 0, 0, 0, 0, 0, 0, 0, 0x9d, 0x01, 0x2a, 0x28, 0x23, 5, 0)],
  ["WebP, lossless", "image/webp", webp("VP8L", 0, 0, 0, 0, 0x2f, 0x27, 0x23, 0x01, 0)],
  ["WebP, extended", "image/webp", webp("VP8X", 10, 0, 0, 0, 0, 0, 0, 0, 0x27, 0x23, 0, 4, 0, 0)],
];

describe("pictureSize()", () => {
  it.each(pictures)("reads the sides of a %s, and none where its header is cut off", (_name, type, bytes) => {
    const data = Buffer.from(bytes).toString("base64");
    expect(pictureSize(data, type)).toEqual({ width: 9000, height: 5 });
    expect(pictureSize(Buffer.from(bytes.slice(0, -2)).toString("base64"), type)).toBeUndefined();
  });

  it("reads none of what is no picture", () => {
    expect(pictureSize("AAAA", "image/jpeg")).toBeUndefined();
    expect(pictureSize("AAAA", "image/webp")).toBeUndefined();
    expect(pictureSize("AAAA", "image/svg+xml")).toBeUndefined();
  });
});
