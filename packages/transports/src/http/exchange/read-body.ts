import type { HttpReply } from "./http-exchange.ts";

const decoder = new TextDecoder();
const longestRemark = 65_536;

/** A reply that was read already: one whose body is a remark, not a message. */
export interface CompleteReply extends Pick<HttpReply, "header" | "status"> {
  /** The first 64 KiB of it. */
  readonly body: string;
}

/** Reads a whole body as UTF-8 text. Throws as {@linkcode readBytes}. */
export async function readBody(reply: HttpReply, maxBytes: number, tooLarge: () => Error): Promise<string> {
  return decodeBody(await readBytes(reply, maxBytes, tooLarge));
}

/** The text of a body, without a byte order mark; broken bytes are read as U+FFFD. */
export function decodeBody(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/**
 * Reads a whole body. One whose declared or actual length is more than `maxBytes` is given up as
 * soon as that is known, and what `tooLarge` returns is thrown.
 */
export async function readBytes(reply: HttpReply, maxBytes: number, tooLarge: () => Error): Promise<Uint8Array> {
  const declared = declaredLength(reply);
  if (declared > maxBytes) {
    reply.cancel();
    throw tooLarge();
  }
  const buffer = new ByteBuffer(maxBytes, tooLarge, declared);
  await reply.read((chunk) => buffer.push(chunk));
  return buffer.take();
}

// What a `fetch` of somebody else's hands on need not be a number.
function declaredLength({ header }: HttpReply): number {
  const length = header("content-length") ?? "";
  return /^\d{1,15}$/.test(length) ? Number(length) : 0;
}

/**
 * Reads a reply as far as an error message needs it. A body that is cut off is evidence, too, so it
 * never rejects.
 */
export async function readRemark(reply: HttpReply): Promise<CompleteReply> {
  const enough = new RangeError("enough was read");
  const buffer = new ByteBuffer(longestRemark, () => enough);
  try {
    await reply.read((chunk) => {
      buffer.push(chunk.subarray(0, longestRemark - buffer.size));
      if (buffer.size === longestRemark) throw enough;
    });
  } catch {
    // What was read so far is returned.
  }
  return { status: reply.status, header: reply.header, body: decodeBody(buffer.take()) };
}

/** Collects bytes up to a bound. Its memory is at most twice the bytes in it. */
export class ByteBuffer {
  size = 0;
  readonly #maxBytes: number;
  readonly #tooLarge: () => Error;
  readonly #expected: number;
  #bytes: Uint8Array = new Uint8Array(0);

  /** `expected` is how many bytes there will be, if that is known. */
  constructor(maxBytes: number, tooLarge: () => Error, expected = 0) {
    this.#maxBytes = maxBytes;
    this.#tooLarge = tooLarge;
    this.#expected = Math.min(expected, maxBytes);
  }

  /**
   * Takes `chunk`, which must not change afterwards. Throws what `tooLarge` returns when the bound
   * is passed.
   */
  push(chunk: Uint8Array): void {
    const total = this.size + chunk.length;
    if (total > this.#maxBytes) throw this.#tooLarge();
    if (this.size === 0) {
      this.#bytes = chunk;
    } else {
      if (total > this.#bytes.length) {
        const larger = new Uint8Array(Math.min(this.#maxBytes, Math.max(total, this.#expected, 2 * this.size)));
        larger.set(this.#bytes.subarray(0, this.size));
        this.#bytes = larger;
      }
      this.#bytes.set(chunk, this.size);
    }
    this.size = total;
  }

  /** Hands over what was collected. */
  take(): Uint8Array {
    return this.#bytes.subarray(0, this.size);
  }
}
