import type { Cancel } from "@hostside/core";
import { onAbort } from "@hostside/core/implement";
import type { MessagePriority } from "../message/active-request.ts";
import { createGrowingBytes } from "../message/growing-bytes.ts";

/** Headers of an answer. */
export type HttpHeaders = Readonly<Record<string, string>>;

/** A body as text, or why there is none. */
export type ReadBody = { readonly text: string } | { readonly problem: "too-large" | "no-room" | "no-utf8" };

/** One request over HTTP and the way to answer it: a `Request` of the web, or what Node has. */
export interface GatewayHttpExchange {
  readonly method: string;
  /** Path of the URL, without the query. */
  readonly path: string;
  /** By lower-case name; several of one name are joined. */
  header(name: string): string | undefined;
  /**
   * The body as text. Rejects where the client broke off. `take` is asked before so many more bytes
   * are kept; `false`: there is no room for them.
   */
  readBody(maxBytes: number, take?: (bytes: number) => boolean): Promise<ReadBody>;
  /** Aborts when the client is gone before it had its whole answer. */
  readonly gone: AbortSignal;
  /** Answers, once. */
  reply(status: number, headers: HttpHeaders, body?: string): void;
  /** Answers with a stream, once. */
  stream(status: number, headers: HttpHeaders): HttpStream;
}

/** An answer that goes on. */
export interface HttpStream {
  /**
   * `false`: it has ended, or has no room for what is spare. A stream that a client leaves unread
   * beyond the limits ends by itself.
   */
  write(text: string, weight: MessagePriority): boolean;
  end(): void;
}

/** Calls `listener` when the client is gone, at once if it is already, until cancelled. */
export function onGone({ gone }: Pick<GatewayHttpExchange, "gone">, listener: () => void): Cancel {
  if (!gone.aborted) return onAbort(gone, listener);
  listener();
  return () => {};
}

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
