import { createByteBuffer } from "../../bytes/byte-buffer.ts";
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

/** What a body says, without a byte order mark; broken bytes are read as U+FFFD. */
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
  const buffer = createByteBuffer(maxBytes, tooLarge, declared);
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
  const buffer = createByteBuffer(longestRemark, () => enough);
  try {
    await reply.read((chunk) => {
      buffer.push(chunk.subarray(0, longestRemark - buffer.size()));
      if (buffer.size() === longestRemark) throw enough;
    });
  } catch {
    // What was read so far is returned.
  }
  return { status: reply.status, header: reply.header, body: decodeBody(buffer.take()) };
}
