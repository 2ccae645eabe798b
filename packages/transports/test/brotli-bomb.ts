import { constants, createBrotliCompress } from "node:zlib";

/** A body of a few bytes that decompresses to very many. */
export interface Bomb {
  readonly bytes: Buffer;
  /** How many bytes come out of it. */
  readonly size: number;
}

const blockBytes = 16 * 1024 * 1024;

/**
 * Brotli that decompresses to `text`, over and over, for `blocks` times 16 MiB; a block takes about
 * 30 bytes.
 */
export async function brotliBomb(text: string, blocks: number): Promise<Bomb> {
  const encoder = createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 5 } });
  const pieces: Buffer[] = [];
  encoder.on("data", (piece: Buffer) => pieces.push(piece));
  const plain = Buffer.alloc(blockBytes, text);
  const lengths: number[] = [];
  // The first block holds what starts a stream, the second is like all that follow, and the rest
  // ends the stream.
  for (let block = 0; block < 2; block += 1) {
    await new Promise<void>((resolve) => {
      encoder.write(plain, () => encoder.flush(constants.BROTLI_OPERATION_FLUSH, resolve));
    });
    lengths.push(Buffer.concat(pieces).length);
  }
  await new Promise<void>((resolve) => {
    encoder.on("end", resolve);
    encoder.end();
  });
  const whole = Buffer.concat(pieces);
  const [first = 0, second = 0] = lengths;
  const repeated = Array.from({ length: blocks - 1 }, () => whole.subarray(first, second));
  return {
    bytes: Buffer.concat([whole.subarray(0, first), ...repeated, whole.subarray(second)]),
    size: blocks * blockBytes,
  };
}
