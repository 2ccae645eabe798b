import type { Socket } from "node:net";
import { dispatchOn } from "./dispatch-on.ts";
import type { Proxy } from "./proxy-choice.ts";

/**
 * Asks a proxy, on a socket that is connected to it, for a connection to somewhere else. `onDone`
 * is called once, with what failed or with nothing.
 */
export function openTunnel(
  socket: Socket,
  { proxy, authority }: { readonly proxy: Proxy; readonly authority: string },
  onDone: (error?: Error) => void,
): void {
  const { url, authorization } = proxy;
  const headers = ["host", authority];
  if (authorization !== undefined) headers.push("proxy-authorization", authorization);
  dispatchOn(socket, url.origin).dispatch(
    { method: "CONNECT", path: authority, headers },
    {
      onRequestStart: ignore,
      onRequestUpgrade: (_controller, status) =>
        onDone(status >= 200 && status < 300 ? undefined : refusedByProxy(status)),
      onResponseError: (_controller, error) => onDone(error),
    },
  );
}

/** A proxy answered for itself, with a status that is no success. */
export function refusedByProxy(status: number): Error {
  return Object.assign(new Error(`HTTP ${status}`), { code: `HTTP ${status}`, proxyStatus: status });
}

function ignore(): void {
  // Nothing has to be taken back: the socket is destroyed.
}
