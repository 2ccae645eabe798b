import type { ReadBody } from "./http-exchange.ts";

/** Reads a body as text, up to so many bytes; what comes after is not read. */
export async function readBytes(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  maxBytes: number,
  take?: (bytes: number) => boolean,
): Promise<ReadBody> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  let size = 0;
  try {
    for await (const chunk of body) {
      size += chunk.byteLength;
      if (size > maxBytes) return { problem: "too-large" };
      if (take?.(chunk.byteLength) === false) return { problem: "no-room" };
      text += decoder.decode(chunk, { stream: true });
    }
    return { text: text + decoder.decode() };
  } catch (error) {
    if (error instanceof TypeError) return { problem: "no-utf8" };
    throw error;
  }
}
