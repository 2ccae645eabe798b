import { HostsideError, type JsonObject } from "@hostside/core";
import type { ServerContext } from "../context/server-context.ts";
import { type MetaSource, type RequestChannel, withCarriedMeta } from "../message/outgoing-request.ts";

/** The changes that a server is to tell of, as `subscriptions/listen` names it. */
export interface ChangeFilter {
  readonly toolsListChanged?: true;
  readonly resourcesListChanged?: true;
  readonly promptsListChanged?: true;
  readonly resourceSubscriptions?: readonly string[];
}

/** A stream that the server acknowledged. */
export interface OpenedStream {
  /**
   * Resolves with the one who ended it: this host; the server, with an answer; or something else.
   */
  readonly closed: Promise<StreamEnd>;
  /**
   * The changes that the server will tell of: at most what was asked for. Its own word, unchecked;
   * absent when it said nothing.
   */
  readonly honoredFilter?: unknown;
}

type StreamEnd = "local" | "graceful" | "remote";

/** The connection that a stream is opened on. */
interface Listening {
  readonly context: ServerContext;
  readonly channel: Pick<RequestChannel, "request">;
  /** Gives more for the `_meta` of the request. */
  readonly opening?: MetaSource | undefined;
}

const method = "subscriptions/listen";

/**
 * Opens a stream of changes, which is a request of 2026-07-28 that goes on for as long as the
 * server has something to tell, and until `signal` aborts. Resolves when the server acknowledged
 * it. https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions
 */
export function listen(
  { context, channel, opening }: Listening,
  filter: ChangeFilter,
  signal: AbortSignal,
): Promise<OpenedStream> {
  const { serverId, settings } = context;
  const params: JsonObject = { notifications: { ...filter } };
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const over = channel.request({
      method,
      params: withCarriedMeta(params, opening),
      timeoutMs: settings.timeouts.requestMs,
      timeoutCode: "request_timeout",
      signal,
      onAcknowledged: (honoredFilter) => resolve({ closed, honoredFilter }),
    });
    // Rejecting has no effect once the stream was acknowledged.
    const closed = over.then(
      (): StreamEnd => {
        reject(streamLost(serverId, "was ended by the server before it began"));
        return "graceful";
      },
      (error: unknown): StreamEnd => {
        reject(signal.aborted ? signal.reason : error);
        return signal.aborted ? "local" : "remote";
      },
    );
  });
}

/** The error of a stream that is over. */
export function streamLost(serverId: string, how: string): HostsideError {
  const message = `${method} on server ${JSON.stringify(serverId)} ${how}`;
  return new HostsideError(message, { code: "connection_closed", serverId, details: { operation: method } });
}
