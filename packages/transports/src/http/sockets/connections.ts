import type { Socket } from "node:net";
import { SocketConnection } from "./connection.ts";
import { createSocketOpener, type Awaiting, type Destination, type PendingSocket } from "./open-socket.ts";
import type { TlsTrust } from "./tls-trust.ts";
import { createTrustedContext } from "./trusted-context.ts";

/** Kept-alive connections, by origin. */
export interface Connections {
  /** One that is idle; the caller sends on it at once. */
  takeIdle(origin: string): SocketConnection | undefined;
  /** Makes another. */
  open(destination: Destination, awaiting: Awaiting<SocketConnection>): Pick<PendingSocket, "cancel">;
  /** Drops all of them, also those that are busy or being opened. */
  close(): void;
}

/** How connections are made and kept. */
export interface ConnectionsInit {
  /** How long idle ones live, in milliseconds. */
  readonly idleMs: number;
  readonly trust: TlsTrust | undefined;
}

/** Begins with none. There are as many as there are requests at a time. */
export function createConnections({ idleMs, trust }: ConnectionsInit): Connections {
  const opener = createSocketOpener(createTrustedContext(trust));
  const all = new Set<{ destroy(): void }>();
  /** The last that was used is used first, so that those that are too many time out. */
  const idle = new Map<string, SocketConnection[]>();
  const idleOf = (origin: string): SocketConnection[] => {
    const known = idle.get(origin) ?? [];
    idle.set(origin, known);
    return known;
  };
  // Not inside `open`: what a connection is kept with would keep whoever waited for it to be
  // opened.
  const keep = (socket: Socket, origin: string): SocketConnection => {
    const waiting = idleOf(origin);
    return new SocketConnection({
      socket,
      origin,
      idleMs,
      onIdle: (it) => void waiting.push(it),
      onGone(it) {
        all.delete(it);
        const index = waiting.indexOf(it);
        if (index !== -1) waiting.splice(index, 1);
      },
    });
  };
  return {
    takeIdle(origin) {
      const waiting = idle.get(origin);
      for (let taken = waiting?.pop(); taken !== undefined; taken = waiting?.pop()) {
        if (taken.isOpen()) return taken;
        taken.destroy();
      }
      return undefined;
    },
    open(destination, { onReady, onError }) {
      const opening = opener.open(destination, {
        onReady(socket) {
          all.delete(opening);
          const connection = keep(socket, destination.url.origin);
          all.add(connection);
          onReady(connection);
        },
        onError(error, isProxys) {
          all.delete(opening);
          onError(error, isProxys);
        },
      });
      all.add(opening);
      return {
        cancel() {
          all.delete(opening);
          opening.cancel();
        },
      };
    },
    close() {
      for (const it of all) it.destroy();
      all.clear();
      idle.clear();
    },
  };
}
