import type { Socket } from "node:net";
import type { Dispatcher } from "undici";
import { dispatchOn } from "./dispatch-on.ts";
import { fromUndiciError, hangUp, upgraded } from "./wire-error.ts";

/** A request, as it is put on the wire. */
export interface WireRequest {
  readonly method: Dispatcher.HttpMethod;
  /** `/path?query`, or a whole URL for a proxy. */
  readonly target: string;
  /** Names and values in turn. */
  readonly headers: string[];
  readonly body: string | undefined;
}

/** What a response begins with. */
export interface ResponseHead {
  readonly status: number;
  /** A header's value by lower-case name. Of what came several times, the values in one list, or the first where a list makes no sense. */
  readonly header: (name: string) => string | undefined;
}

/** Gets the parts of one reply. Nothing is called after `onEnd` or `onError`. */
export interface ReplySink {
  /** The request begins to leave. */
  onSending(): void;
  onHead(head: ResponseHead): void;
  onBody(bytes: Buffer): void;
  /** The reply was complete; the connection belongs to others now. */
  onEnd(): void;
  onError(error: Error): void;
}

/** A connection that is ready: one request at a time. */
export interface Connection {
  /** Sends a request on a connection that has none. */
  send(request: WireRequest, sink: ReplySink): void;
  /** Whether a request may still be sent on it. */
  isOpen(): boolean;
  /** Stops the body of the reply that is being read, from its next piece on, and starts it again. */
  pause(): void;
  resume(): void;
  /** Drops it; whoever waits for a reply gets `error`. Default: that the connection was closed. */
  destroy(error?: Error): void;
}

/** What a connection is made from. */
export interface ConnectionInit {
  readonly socket: Socket;
  readonly origin: string;
  /** For how long it is kept without a request, in milliseconds. A server that says it waits for less is believed. */
  readonly idleMs: number;
  /** It may be used again. */
  readonly onIdle: (connection: Connection) => void;
  /** It may not be used again. */
  readonly onGone: (connection: Connection) => void;
}

// A server closes its connection a little earlier by its own clock than we hear of it.
const headStartMs = 1000;

/** Speaks HTTP/1.1 on a socket that is connected. While nothing is asked of it, the socket keeps no process alive. */
export function createConnection({ socket, origin, idleMs, onIdle, onGone }: ConnectionInit): Connection {
  let sink: ReplySink | undefined;
  let controller: Dispatcher.DispatchController | undefined;
  const client = dispatchOn(socket, origin, {
    keepAliveTimeout: idleMs,
    keepAliveMaxTimeout: idleMs,
    keepAliveTimeoutThreshold: headStartMs,
  });
  const fail = (error: Error): void => {
    const failed = sink;
    sink = undefined;
    controller = undefined;
    socket.destroy();
    failed?.onError(error);
  };
  const connection: Connection = {
    send({ target: path, ...request }, to) {
      sink = to;
      // Of a request that was given up, nothing is heard any more.
      const heard = (): ReplySink | undefined => (sink === to ? to : undefined);
      const handler: Dispatcher.DispatchHandler = {
        onRequestStart(given) {
          controller = given;
          heard()?.onSending();
        },
        onResponseStart(_controller, status, headers) {
          if (status === 101) return fail(upgraded());
          // What is meant follows an interim one.
          if (status >= 200) heard()?.onHead({ status, header: (name) => valueOf(headers, name) });
        },
        onResponseData: (_controller, bytes) => heard()?.onBody(bytes),
        onResponseEnd() {
          if (heard() === undefined) return;
          sink = undefined;
          // It has the whole exchange in it, which would be kept for as long as the connection is idle.
          controller = undefined;
          onIdle(connection);
          to.onEnd();
        },
        onResponseError(_controller, error) {
          if (heard() !== undefined) fail(fromUndiciError(error));
        },
      };
      client.dispatch({ ...request, path, body: request.body ?? null }, handler);
    },
    isOpen: () => !socket.destroyed && !socket.readableEnded,
    pause: () => controller?.pause(),
    resume: () => controller?.resume(),
    destroy: (error = hangUp()) => fail(error),
  };
  socket.setNoDelay(true);
  socket.setKeepAlive(true, 1000);
  socket.on("error", ignore);
  socket.on("close", () => {
    onGone(connection);
    // The client hears of it as well, and knows more.
    queueMicrotask(() => fail(hangUp()));
  });
  return connection;
}

// Of these a list makes no sense: the first counts, as in Node.
const singular: ReadonlySet<string> = new Set(["content-type", "location", "retry-after"]);

function valueOf(headers: Readonly<Record<string, string | string[] | undefined>>, name: string): string | undefined {
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
  if (!Array.isArray(value)) return value;
  return singular.has(name) ? value[0] : value.join(", ");
}

function ignore(): void {
  // Whoever waits for a reply hears of it.
}
