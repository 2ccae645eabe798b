import type { Socket } from "node:net";
import type { Dispatcher } from "undici";
import { dispatchOn, fromUndiciError, hangUp, mostlyOverhead, upgraded } from "./dispatch-on.ts";
import { createSocketOpener, type Destination, type OpenSocket, createTrustedContext } from "./open-socket.ts";
import type { TlsTrust } from "./tls-trust.ts";

/** A request, as it is put on the wire. */
export interface WireRequest {
  /** The origin of its server. */
  readonly origin: string;
  readonly method: Dispatcher.HttpMethod;
  /** `/path?query`, or a whole URL for a proxy. */
  readonly target: string;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  readonly body: string | undefined;
}

/** The headers that a response begins with, by lower-case name; see {@linkcode headerOf}. */
export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** Gets the parts of one reply. Nothing is called after `onEnd` or `onError`. */
export interface ReplySink {
  /** The request begins to leave. */
  onSending(): void;
  onHead(status: number, headers: ResponseHeaders): void;
  onBody(bytes: Buffer): void;
  /** The reply was complete; the connection belongs to others now. */
  onEnd(): void;
  onError(error: Error): void;
}

/** The parts of a connection. */
export interface SocketConnectionInit {
  readonly socket: Socket;
  readonly origin: string;
  /**
   * For how long it is kept without a request, in milliseconds. A server that says it waits for
   * less is believed.
   */
  readonly idleMs: number;
  /** It may be used again. */
  readonly onIdle: (connection: SocketConnection) => void;
  /** It may not be used again. */
  readonly onGone: (connection: SocketConnection) => void;
}

// A server closes its connection a little earlier by its own clock than we hear of it.
const headStartMs = 1000;

// What a reply has beside its body: heads, also interim ones, the sizes and extensions of its
// chunks, trailers. None of it is shown to anybody who would count it. A body in chunks of one byte
// needs six for each.
const mostOverhead = 1024 * 1024;
const overheadPerByte = 64;

/**
 * A header's value by lower-case name. If the header came several times, returns the values in one
 * list, or the first where a list makes no sense.
 */
export function headerOf(headers: ResponseHeaders, name: string): string | undefined {
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
  if (!Array.isArray(value)) return value;
  return singular.has(name) ? value[0] : value.join(", ");
}

/**
 * Speaks HTTP/1.1 on a socket that is connected: one request at a time. While nothing is asked of
 * it, the socket keeps no process alive. Events of its client for a request that was given up are
 * not forwarded.
 */
export class SocketConnection implements Dispatcher.DispatchHandler {
  readonly #init: SocketConnectionInit;
  readonly #client: Dispatcher;
  /** By the clock. On a busy machine the client's timer is late: the server has closed its end. */
  #idleUntil = Infinity;
  #keptMs = 0;
  #sink: ReplySink | undefined;
  #overhead = 0;
  #isPaused = false;

  constructor(init: SocketConnectionInit) {
    const { socket, origin, idleMs, onGone } = init;
    this.#init = init;
    this.#watchReads();
    this.#client = dispatchOn(socket, origin, {
      keepAliveTimeout: idleMs,
      keepAliveMaxTimeout: idleMs,
      keepAliveTimeoutThreshold: headStartMs,
    });
    socket.setNoDelay(true);
    socket.setKeepAlive(true, 1000);
    // Whoever waits for a reply hears of it.
    socket.on("error", () => undefined);
    socket.on("close", () => {
      onGone(this);
      // The client hears of it as well, and knows more.
      queueMicrotask(() => this.destroy());
    });
  }

  /** Sends a request on a connection that has none. */
  send({ method, target, headers, body }: WireRequest, sink: ReplySink): void {
    this.#sink = sink;
    this.#overhead = 0;
    // It reads the list, and its types do not say so.
    this.#client.dispatch({ method, path: target, headers: headers as string[], body: body ?? null }, this);
  }

  /** True if a request may still be sent on it. */
  isOpen(): boolean {
    const { socket } = this.#init;
    return !socket.destroyed && !socket.readableEnded && performance.now() < this.#idleUntil;
  }

  /**
   * Stops the body of the reply that is being read, when all that was read of the socket is handed
   * on: what arrives stays in the socket, and soon with its sender.
   */
  pause(): void {
    this.#isPaused = this.#sink !== undefined;
  }

  /** Goes on with it, a moment later. */
  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    // The reader of the socket may be in the middle of a piece now. It found nothing while this was
    // paused, and is not told again by itself.
    queueMicrotask(() => {
      if (!this.#isPaused && !this.#init.socket.destroyed) this.#init.socket.emit("readable");
    });
  }

  /** Drops it; whoever waits for a reply gets `error`. Default: that the connection was closed. */
  destroy(error: Error = hangUp()): void {
    const sink = this.#letGo();
    this.#init.socket.destroy();
    sink?.onError(error);
  }

  onRequestStart(): void {
    this.#sink?.onSending();
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: ResponseHeaders): void {
    if (status === 101) return this.destroy(upgraded());
    // What is meant follows an interim one.
    if (status < 200) return;
    this.#keptMs = Math.min(this.#init.idleMs, announcedMs(headers) - headStartMs);
    this.#sink?.onHead(status, headers);
  }

  onResponseData(_controller: Dispatcher.DispatchController, bytes: Buffer): void {
    this.#overhead = Math.max(0, this.#overhead - overheadPerByte * bytes.length);
    this.#sink?.onBody(bytes);
  }

  onResponseEnd(): void {
    const sink = this.#letGo();
    if (sink === undefined) return;
    this.#idleUntil = performance.now() + this.#keptMs;
    this.#init.onIdle(this);
    sink.onEnd();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#sink !== undefined) this.destroy(fromUndiciError(error));
  }

  #letGo(): ReplySink | undefined {
    const sink = this.#sink;
    this.#sink = undefined;
    // It may have been paused in the last piece of the reply, and the next one has to come through.
    this.resume();
    return sink;
  }

  /**
   * Puts a valve before undici, which reads the socket piece by piece. Its own way to pause stops
   * its parser, and that is an assertion which nobody can catch when the connection ends by then,
   * if the reply ends with it: the whole process would. It never learns of this one.
   */
  #watchReads(): void {
    const { socket } = this.#init;
    const read = socket.read.bind(socket);
    socket.read = (size) => {
      // Zero is the stream's own: it fills its buffer by it.
      if (this.#isPaused && size !== 0) return null;
      const bytes: unknown = read(size);
      if (bytes instanceof Uint8Array) this.#count(bytes.length);
      return bytes;
    };
  }

  #count(bytes: number): void {
    this.#overhead += bytes;
    if (this.#overhead > mostOverhead && this.#sink !== undefined) this.destroy(mostlyOverhead(mostOverhead));
  }
}

// https://www.rfc-editor.org/rfc/rfc2068#section-19.7.1.1
function announcedMs(headers: ResponseHeaders): number {
  const [, seconds] = /timeout=(\d+)/i.exec(headerOf(headers, "keep-alive") ?? "") ?? [];
  return seconds === undefined ? Infinity : Number(seconds) * 1000;
}

// Of these a list makes no sense: the first counts, as in Node.
const singular: ReadonlySet<string> = new Set(["content-type", "location", "retry-after"]);

/** Kept-alive connections, by origin: as many as there are requests at a time. */
export class Connections {
  readonly #idleMs: number;
  readonly #openSocket: OpenSocket;
  readonly #all = new Set<SocketConnection>();
  readonly #opening = new Set<AbortController>();
  /** The last that was used is used first, so that those that are too many time out. */
  readonly #idle = new Map<string, SocketConnection[]>();

  /** Idle connections live for `idleMs`, in milliseconds. */
  constructor(idleMs: number, trust: TlsTrust | undefined) {
    this.#idleMs = idleMs;
    this.#openSocket = createSocketOpener(createTrustedContext(trust));
  }

  /** Takes one that is idle; the caller sends on it at once. */
  takeIdle(origin: string): SocketConnection | undefined {
    const waiting = this.#idle.get(origin);
    for (let taken = waiting?.pop(); taken !== undefined; taken = waiting?.pop()) {
      if (taken.isOpen()) return taken;
      taken.destroy();
    }
    return undefined;
  }

  /** Makes another, unless `opening` is aborted. */
  async open(destination: Destination, opening: AbortController): Promise<SocketConnection> {
    const { signal } = opening;
    this.#opening.add(opening);
    try {
      const socket = await this.#openSocket(destination, signal);
      if (!signal.aborted) return this.#keep(socket, destination.url.origin);
      socket.destroy();
      throw signal.reason;
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    } finally {
      this.#opening.delete(opening);
    }
  }

  /** Drops all of them, also those that are busy or being opened. */
  close(): void {
    for (const opening of this.#opening) opening.abort(hangUp());
    for (const connection of this.#all) connection.destroy();
    this.#all.clear();
    this.#idle.clear();
  }

  // Apart from `open`: what a connection is kept with would keep whoever waited for it.
  #keep(socket: Socket, origin: string): SocketConnection {
    const waiting = this.#idle.get(origin) ?? [];
    this.#idle.set(origin, waiting);
    const connection = new SocketConnection({
      socket,
      origin,
      idleMs: this.#idleMs,
      onIdle: (it) => void waiting.push(it),
      onGone: (it) => {
        this.#all.delete(it);
        const index = waiting.indexOf(it);
        if (index !== -1) waiting.splice(index, 1);
      },
    });
    this.#all.add(connection);
    return connection;
  }
}
