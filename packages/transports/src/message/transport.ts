import type { CallContext, HostsideError, JsonObject } from "@hostside/core";

/**
 * Options of one message on its way out. Names follow the official SDK's
 * `TransportSendOptions`.
 */
export interface SendOptions {
  /**
   * Aborting it takes the request back, for transports without `takeBack`.
   */
  readonly requestSignal?: AbortSignal | undefined;
  /**
   * Headers of this one request, such as `mcp-param-…`, with legal names in small letters; only for
   * transports with one HTTP request per message.
   */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The host's own context of this request, from which it may want headers made. */
  readonly callContext?: CallContext | undefined;
  /**
   * Called with the size of the message as JSON in UTF-8, as soon as that is known. Absent: nobody
   * counts.
   */
  readonly onSize?: ((bytes: number) => void) | undefined;
}

/**
 * A way to one server. Shaped like the official SDK's `Transport`, so that one can be plugged in,
 * with what a host needs besides: the failure of a single request without the loss of the
 * connection, and evidence. Every type of transport is one of these; `open-stdio.ts`,
 * `open-http.ts`, `open-memory.ts` and `open-custom.ts` make them.
 *
 * Rules for implementers:
 * - `onclose` fires exactly once, after `onrequestfailed` fired for nothing more; nothing fires
 *   after it.
 * - `send()` rejects with a `HostsideError` whose `outcome` is honest: `not-sent` only if no byte
 *   of the message can have arrived.
 * - `close()` is idempotent, never rejects, and leaves no process, socket or timer behind.
 */
export interface Transport {
  /** Each message is an HTTP request of its own, with a stream for its answer. */
  readonly hasPerRequestStream?: boolean | undefined;
  /**
   * Messages arrive in the order in which they are sent, without waiting for one another; not so
   * where each is a request of its own.
   */
  readonly isOrdered?: boolean | undefined;
  /** The session that the server opened, if it did. */
  readonly sessionId?: string | undefined;
  /** To be called first, and once. Messages may arrive from then on. */
  start(): Promise<void>;
  send(message: JsonObject, options?: SendOptions): Promise<void>;
  /**
   * Sends without the cost of a promise for each message: `onFailed` is called with what `send()`
   * would reject with, at most once, and perhaps at once. It must not throw.
   */
  readonly post?:
    | ((message: JsonObject, options: SendOptions | undefined, onFailed: (error: unknown) => void) => void)
    | undefined;
  close(): Promise<void>;
  /** The handshake is over, and has found this revision. */
  setProtocolVersion?(version: string): void;
  /**
   * Takes a request back as the abort of its `requestSignal` does, without the cost of a signal per
   * request: nothing is waited for on its behalf any more. Only where each message is an HTTP
   * request of its own. Ids of no request under way are ignored.
   */
  readonly takeBack?: ((id: RequestId) => void) | undefined;
  /**
   * Something came in; `relatedId` is the request of ours on whose own exchange it came, where
   * there is such a thing; `bytes` is its size, or that of the batch that it came in, where that is
   * known.
   */
  onmessage?: ((message: JsonObject, relatedId?: RequestId, bytes?: number) => void) | undefined;
  /** Something went wrong that the transport went on after. */
  onerror?: ((error: Error) => void) | undefined;
  /** It is over, by whoever's doing. */
  onclose?: (() => void) | undefined;
  /**
   * An answer to this request will never come, though the connection lives: its stream ended, its
   * answer was too large or unusable.
   */
  onrequestfailed?: ((id: RequestId, error: HostsideError) => void) | undefined;
  /** A stream for unsolicited messages was interrupted: notifications may have been missed. */
  oninterrupted?: (() => void) | undefined;
  /** Why the transport closed by itself; set before `onclose` fires. Absent after `close()`. */
  readonly closeReason?: HostsideError | undefined;
  /** For the old HTTP+SSE: its stream was open, so that this is what the server speaks. */
  readonly hasStream?: boolean | undefined;
  /**
   * For processes: the last lines on stderr so far, bounded and without secrets, as evidence for an
   * error about silence.
   */
  readonly stderr?: string | undefined;
  /**
   * For processes, until the handshake is done: the first line on stdout that was no message,
   * bounded and without secrets.
   */
  readonly strayLine?: string | undefined;
}

/**
 * The id of a request. Ours are numbers; what a server, or a transport that
 * somebody brought, makes of them may be text.
 */
export type RequestId = number | string;

/** A message that wants an answer. */
export interface RpcRequest extends JsonObject {
  readonly id: RequestId;
  readonly method: string;
}

/** True if a message of ours is a request; a server's has to be looked at more closely. */
export function isRequest(message: JsonObject): message is RpcRequest {
  return "method" in message && "id" in message;
}
