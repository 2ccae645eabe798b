import type { Socket } from "node:net";
import { SocketConnection } from "./connection.ts";
import { hangUp } from "./dispatch-on.ts";
import { createSocketOpener, type Destination, type OpenSocket } from "./open-socket.ts";
import type { TlsTrust } from "./tls-trust.ts";
import { createTrustedContext } from "./trusted-context.ts";

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
