// oxlint-disable-next-line typescript/triple-slash-reference -- who compiles this source as part of another package finds no types otherwise
/// <reference path="./untyped-modules.d.ts" />
import type { Socket } from "node:net";
import type { Client } from "undici";
import UndiciClient from "undici/lib/dispatcher/client.js";
import { hangUp } from "./wire-error.ts";

/**
 * What speaks HTTP/1.1 on this socket, which is connected, and on no other. Deadlines are the
 * caller's.
 */
export function dispatchOn(socket: Socket, origin: string, options: Client.Options = {}): Client {
  let isTaken = false;
  return new UndiciClient(origin, {
    ...options,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect(_options, callback) {
      const wasTaken = isTaken;
      isTaken = true;
      // It does not look for a connection that is there at once.
      queueMicrotask(() => (wasTaken || socket.destroyed ? callback(hangUp(), null) : callback(null, socket)));
    },
  });
}
