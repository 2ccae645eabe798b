import { createGrowingBytes } from "../message/growing-bytes.ts";
import type { ReadBody } from "./http-exchange.ts";

/** Reads a body as text, up to so many bytes; what comes after is not read. */
export async function readBodyText(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  maxBytes: number,
  take?: (bytes: number) => boolean,
): Promise<ReadBody> {
  const bytes = createGrowingBytes(maxBytes);
  for await (const chunk of body) {
    if (bytes.size + chunk.byteLength > maxBytes) return { problem: "too-large" };
    if (take?.(chunk.byteLength) === false) return { problem: "no-room" };
    bytes.add(chunk);
  }
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes.take()) };
  } catch {
    return { problem: "no-utf8" };
  }
}
