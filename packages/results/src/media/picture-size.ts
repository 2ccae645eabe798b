import { bytesOf } from "@hostside/core/implement";

/** The sides of a picture, in pixels. */
export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/**
 * Reads the size of a PNG, JPEG, GIF or WebP from the header in checked base64, without decoding
 * the rest. `undefined` where the header is cut off, or does not say.
 */
export function pictureSize(data: string, type: string): PictureSize | undefined {
  const read = readers.get(type);
  const size = read?.(data);
  return size !== undefined && Number.isFinite(size.width) && Number.isFinite(size.height) ? size : undefined;
}

const readers: ReadonlyMap<string, (data: string) => PictureSize | undefined> = new Map([
  ["image/png", (data) => ({ width: big(data, 16, 4), height: big(data, 20, 4) })],
  ["image/gif", (data) => ({ width: little(data, 6, 2), height: little(data, 8, 2) })],
  ["image/jpeg", readJpeg],
  ["image/webp", readWebp],
]);

// Frame headers, which hold the size: all of C0 to CF but DHT, JPG and DAC.
const otherMarkers = new Set([0xc4, 0xc8, 0xcc]);
const mostSegments = 1000;

function readJpeg(data: string): PictureSize | undefined {
  let at = 2;
  for (let segment = 0; segment < mostSegments; segment += 1) {
    const [start, marker] = bytesOf(data, at, 2);
    if (start !== 0xff || marker === undefined) return undefined;
    if (marker === 0xff) {
      // Padding.
      at += 1;
      continue;
    }
    if (marker >= 0xc0 && marker <= 0xcf && !otherMarkers.has(marker)) {
      return { height: big(data, at + 5, 2), width: big(data, at + 7, 2) };
    }
    const isAlone = marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7);
    const length = isAlone ? 0 : big(data, at + 2, 2);
    if (Number.isNaN(length)) return undefined;
    at += 2 + length;
  }
  return undefined;
}

// https://developers.google.com/speed/webp/docs/riff_container
function readWebp(data: string): PictureSize | undefined {
  switch (String.fromCharCode(...bytesOf(data, 12, 4))) {
    case "VP8 ":
      return { width: little(data, 26, 2) % 0x4000, height: little(data, 28, 2) % 0x4000 };
    case "VP8L": {
      const bits = little(data, 21, 4);
      return { width: 1 + (bits % 0x4000), height: 1 + (Math.floor(bits / 0x4000) % 0x4000) };
    }
    case "VP8X":
      return { width: 1 + little(data, 24, 3), height: 1 + little(data, 27, 3) };
    default:
      return undefined;
  }
}

function big(data: string, at: number, count: number): number {
  const bytes = bytesOf(data, at, count);
  return bytes.length < count ? Number.NaN : bytes.reduce((sum, byte) => sum * 256 + byte, 0);
}

function little(data: string, at: number, count: number): number {
  const bytes = bytesOf(data, at, count);
  return bytes.length < count ? Number.NaN : bytes.reduceRight((sum, byte) => sum * 256 + byte, 0);
}
