// oxlint-disable-next-line typescript/triple-slash-reference -- who compiles this source as part of another package finds no types otherwise
/// <reference path="./untyped-modules.d.ts" />
import UndiciClient from "undici/lib/dispatcher/client.js";
import type { Socket } from "node:net";
import type { Client } from "undici";
import type { Proxy } from "./proxy-choice.ts";

/**
 * Makes a client that speaks HTTP/1.1 on this socket, which is connected, and on no other.
 * Deadlines are the caller's.
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

/**
 * Asks a proxy, on a socket that is connected to it, for a connection to somewhere else.
 */
export function openTunnel(
  socket: Socket,
  { proxy, authority }: { readonly proxy: Proxy; readonly authority: string },
): Promise<void> {
  const { url, authorization } = proxy;
  const headers = ["host", authority];
  if (authorization !== undefined) headers.push("proxy-authorization", authorization);
  return new Promise((resolve, reject) => {
    dispatchOn(socket, url.origin).dispatch(
      { method: "CONNECT", path: authority, headers },
      {
        // Nothing has to be taken back: the socket is destroyed.
        onRequestStart: () => {},
        onRequestUpgrade: (_controller, status) =>
          status >= 200 && status < 300 ? resolve() : reject(refusedByProxy(status)),
        onResponseError: (_controller, error) => reject(error),
      },
    );
  });
}

/** A proxy answered for itself, with a status that is no success. */
export function refusedByProxy(status: number): Error {
  return Object.assign(new Error(`HTTP ${status}`), { code: `HTTP ${status}`, proxyStatus: status });
}

/** An error with a `code`, as Node's own modules give one. */
export function wireError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

/** The connection is gone. */
export function hangUp(): Error {
  return wireError("ECONNRESET", "the connection was closed");
}

/** So many bytes came that are no part of a body. */
export function mostlyOverhead(bytes: number): Error {
  return wireError("HPE_OVERHEAD", `${bytes} bytes of heads, chunk extensions or trailers came for next to no body`);
}

/** The server went over to another protocol (HTTP 101). */
export function upgraded(): Error {
  return wireError("HTTP 101", "the server switches to another protocol");
}

/** Gives an error of undici's the code that Node's own HTTP would give it. */
export function fromUndiciError(error: Error): Error {
  const code = "code" in error ? error.code : undefined;
  // Which of the parser's errors it is, it says in words alone.
  if (error.name === "HTTPParserError" && code === undefined)
    return Object.assign(new Error(error.message), { code: "HPE_INVALID_RESPONSE" });
  return code === "UND_ERR_SOCKET" && error.message === "bad upgrade" ? upgraded() : error;
}
