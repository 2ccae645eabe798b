import type { Socket } from "node:net";

/** Whether what arrives on a socket is read, and how much of it was. */
export interface ReadValve {
  /**
   * From now on nothing is read: what arrives stays in the socket, and soon with its sender. What
   * was read by then is read to its end.
   */
  close(): void;
  /** Reading goes on, a moment later. */
  open(): void;
}

/**
 * Puts a valve before whoever reads a socket piece by piece, as undici does. Its own way to pause
 * stops its parser, and that is an assertion which nobody can catch when the connection ends by
 * then, if the reply ends with it: the whole process would. It never learns of this one. `onRead`
 * is told of each piece before its reader gets it.
 */
export function createReadValve(socket: Socket, onRead: (bytes: number) => void): ReadValve {
  const read = socket.read.bind(socket);
  let isClosed = false;
  socket.read = (size) => {
    // Zero is the stream's own: it fills its buffer by it.
    if (isClosed && size !== 0) return null;
    const bytes: unknown = read(size);
    if (bytes instanceof Uint8Array) onRead(bytes.length);
    return bytes;
  };
  return {
    close() {
      isClosed = true;
    },
    open() {
      if (!isClosed) return;
      isClosed = false;
      // Its reader may be in the middle of a piece now. It found nothing while this was closed, and
      // is not told again by itself.
      queueMicrotask(() => {
        if (!isClosed && !socket.destroyed) socket.emit("readable");
      });
    },
  };
}
