import type { LookupFunction, Socket } from "node:net";
import type { SecureContext } from "node:tls";
import { hangUp, openTunnel } from "./dispatch-on.ts";
import type { Proxy } from "./proxy-choice.ts";

/** The destination of a socket. */
export interface Destination {
  readonly url: URL;
  /** By which proxy. Default: none. */
  readonly proxy?: Proxy | undefined;
  /** How its name is looked up, where no proxy does that. Default: the system's way. */
  readonly lookup?: LookupFunction | undefined;
}

/** The callbacks of something that is opened: one of them is called, once and later. */
export interface Awaiting<T> {
  readonly onReady: (it: T) => void;
  /** `isProxys`: what failed is the way to the proxy, or the proxy itself. */
  readonly onError: (error: Error, isProxys: boolean) => void;
}

/** A socket that is being opened. */
export interface PendingSocket {
  /** Gives it up, and calls nothing. */
  cancel(): void;
  /** Gives it up; `onError` is called. */
  destroy(): void;
}

/** Opens sockets, with TLS where the URL wants it. */
export interface SocketOpener {
  open(destination: Destination, awaiting: Awaiting<Socket>): PendingSocket;
}

/**
 * Makes one, which remembers TLS sessions, so that the next connection to the same place is ready
 * sooner. `context` says whom to trust.
 */
export function createSocketOpener(context: (url: URL) => SecureContext | undefined): SocketOpener {
  const sessions = new Map<string, Buffer>();
  const secure = (url: URL, options: { lookup?: LookupFunction | undefined; socket?: Socket }): Socket =>
    connectTls(url, { ...options, sessions, context: context(url) });
  return {
    open({ url, proxy, lookup }, { onReady, onError }) {
      const first = proxy?.url ?? url;
      const found = proxy === undefined ? lookup : undefined;
      let socket = first.protocol === "https:" ? secure(first, { lookup: found }) : connectTcp(first, found);
      let isOver = false;
      const give = (): void => {
        isOver = true;
        // What comes after the first is of no interest.
        socket.on("error", ignore);
        socket.destroy();
      };
      const settle = (error: Error | undefined, isProxys: boolean): void => {
        if (isOver) return;
        if (error === undefined) {
          isOver = true;
          return onReady(socket);
        }
        give();
        sessions.delete(first.origin);
        sessions.delete(url.origin);
        onError(error, isProxys);
      };
      const goOn = (tunnel: Proxy): void =>
        openTunnel(socket, { proxy: tunnel, authority: authorityOf(url) }, (error) => {
          if (error !== undefined || isOver) return settle(error, true);
          socket = secure(url, { socket });
          untilReady(socket, "secureConnect", (failure) => settle(failure, false));
        });
      untilReady(socket, first.protocol === "https:" ? "secureConnect" : "connect", (error) => {
        if (error === undefined && proxy !== undefined && url.protocol === "https:" && !isOver) goOn(proxy);
        else settle(error, proxy !== undefined);
      });
      return { cancel: give, destroy: () => settle(hangUp(), false) };
    },
  };
}

function untilReady(socket: Socket, event: "connect" | "secureConnect", onDone: (error?: Error) => void): void {
  const done = (error?: Error): void => {
    socket.off(event, ready);
    socket.off("error", done);
    socket.off("close", close);
    onDone(error);
  };
  const ready = (): void => done();
  const close = (): void => done(hangUp());
  socket.once(event, ready);
  socket.once("error", done);
  socket.once("close", close);
}

function connectTcp(url: URL, lookup: LookupFunction | undefined): Socket {
  return process.getBuiltinModule("node:net").connect({ ...addressOf(url), ...(lookup !== undefined && { lookup }) });
}

interface TlsOptions {
  readonly lookup?: LookupFunction | undefined;
  /** The socket that leads there already. */
  readonly socket?: Socket;
  readonly sessions: Map<string, Buffer>;
  readonly context: SecureContext | undefined;
}

function connectTls(url: URL, { lookup, socket, sessions, context }: TlsOptions): Socket {
  const { connect } = process.getBuiltinModule("node:tls");
  const { isIP } = process.getBuiltinModule("node:net");
  const { host, port } = addressOf(url);
  const session = sessions.get(url.origin);
  const secured = connect({
    host,
    port,
    ALPNProtocols: ["http/1.1"],
    // A name is what a certificate is for, and the only thing that SNI may carry.
    servername: isIP(host) === 0 ? host : "",
    ...(socket !== undefined && { socket }),
    ...(lookup !== undefined && { lookup }),
    ...(session !== undefined && { session }),
    ...(context !== undefined && { secureContext: context }),
  });
  secured.on("session", (given: Buffer) => sessions.set(url.origin, given));
  return secured;
}

function addressOf(url: URL): { readonly host: string; readonly port: number } {
  const port = url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
  // IPv6 addresses go without their brackets.
  return { host: url.hostname.replace(/^\[(.*)\]$/, "$1"), port };
}

function authorityOf(url: URL): string {
  return url.port === "" ? `${url.host}:443` : url.host;
}

function ignore(): void {}
