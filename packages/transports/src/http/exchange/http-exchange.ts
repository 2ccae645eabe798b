import type { HostsideError, HttpEntry } from "@hostside/core";
import type { Redactor } from "@hostside/core/implement";
import type { HttpGuard } from "./http-guard.ts";
import type { TlsTrust } from "../sockets/tls-trust.ts";

type ServerTls = NonNullable<HttpEntry["tls"]>;

/**
 * One HTTP request. The exchange adds what frames it (`host`, `content-length`, `accept-encoding`).
 */
export interface HttpRequest {
  readonly method: "DELETE" | "GET" | "POST";
  readonly url: URL;
  /** Lower-case names; names and values are legal already. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/**
 * Status and headers of an answer, and its body on demand. `read` or `cancel` must be called, each
 * at most once.
 */
export interface HttpReply {
  readonly status: number;
  /** A header's value by lower-case name. */
  readonly header: (name: string) => string | undefined;
  /**
   * Hands over the decoded body piece by piece, a flood of it in turns, so that it holds up nobody
   * else. Resolves at its proper end; rejects with `connection_closed` when it is cut off, with
   * `protocol_error` when it cannot be decoded, with whatever `onChunk` throws (the rest is given
   * up), or with the reason of a `cancel`. `onChunk` is not called again after that.
   */
  read(onChunk: (chunk: Uint8Array) => void): Promise<void>;
  /**
   * Gives up the body, also while it is read, and with it the connection that it would have come
   * on.
   */
  cancel(): void;
  /**
   * The whole body, where it is here already, small and in no encoding, as most answers are: nobody
   * has to wait for it, and the reply may be left at that, or read as any other. `undefined` for
   * all others, and for one that was given up.
   */
  whole(): Uint8Array | undefined;
}

/** A request under way. */
export interface HttpCall {
  /**
   * Rejects with a `HostsideError` whose outcome is `not-sent` only if no byte of the request can
   * have arrived.
   */
  readonly reply: Promise<HttpReply>;
  /**
   * Takes the request back, at any time: what is pending of it, the reply or the reading of its
   * body, rejects with `reason` at once.
   */
  cancel(reason: HostsideError): void;
}

/**
 * A way to do HTTP: undici's client, or a `fetch`. Never follows a redirect, sets no deadline of
 * its own but that of connecting, and decodes bodies as they come, so that a reader who counts
 * bytes bounds the memory.
 */
export interface HttpClient {
  start(request: HttpRequest): HttpCall;
  /** Closes every connection, also busy ones, and ends every reading. Idempotent. */
  close(): void;
}

/** Joins what a connector trusts with what one server at `origin` has of its own. */
export function toTrust(
  shared: string | readonly string[] | undefined,
  { ca, cert, key }: ServerTls = {},
  origin = "",
): TlsTrust {
  const own = cert !== undefined && key !== undefined ? { origin, cert, key } : undefined;
  return { ca: [shared ?? [], ca ?? []].flat(2), own };
}

/** The parts of a exchange. */
export interface HttpExchangeInit {
  /** Named in errors. */
  readonly serverId: string;
  /**
   * From the start of a new connection until it is ready for the request, TLS included; in
   * milliseconds. Default 15,000.
   */
  readonly connectTimeoutMs?: number;
  /**
   * From this many decoded bytes on, a body that has grown more than a hundredfold is given up with
   * `message_too_large`. Only where the exchange decodes bodies itself. Default 12 MiB.
   */
  readonly maxMessageBytes?: number;
  /** Masks what a server may echo, in errors. Default: nothing. */
  readonly redact?: Redactor;
  /**
   * Asked before each request, and for each new connection. Default: everything may be connected
   * to.
   */
  readonly guard?: HttpGuard | undefined;
  /** By which proxy: a URL, or `"environment"`. Only Node's exchange. Default `false`: none. */
  readonly proxy?: string | false | undefined;
  /** The authorities that TLS trusts, and the host's own certificate. Only Node's exchange. */
  readonly trust?: TlsTrust | undefined;
}

/**
 * The headers of a request that a stream may answer. A middleware that compresses and does not
 * flush holds events back, so that none is asked for.
 */
export const acceptStream = { accept: "text/event-stream", "accept-encoding": "identity" } as const;

/** Something under way that can be taken back; whoever waits for it gets `reason`. */
export interface Cancellable {
  cancel(reason: HostsideError): void;
}

/**
 * The kind of a reply, by its status and media type: `refused` is anything but a success,
 * `accepted` a success that promises no body, `other` a success with a body that MCP does not know.
 */
export type ReplyKind = "accepted" | "events" | "json" | "other" | "refused";

/** Tells the kind of a reply. */
export function replyKindOf({ status, header }: Pick<HttpReply, "header" | "status">): ReplyKind {
  if (status < 200 || status > 299) return "refused";
  if (status === 202 || status === 204 || status === 205) return "accepted";
  const contentType = header("content-type") ?? "";
  // As nearly every server writes them.
  if (contentType === "application/json") return "json";
  if (contentType === "text/event-stream") return "events";
  const end = contentType.indexOf(";");
  const mediaType = (end === -1 ? contentType : contentType.slice(0, end)).trim().toLowerCase();
  if (mediaType === "text/event-stream") return "events";
  return mediaType === "application/json" ? "json" : "other";
}
