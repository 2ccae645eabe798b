import { untilAborted } from "@hostside/core/implement";
import type { LookupFunction, Socket } from "node:net";
import type { SecureContext } from "node:tls";
import { hangUp, openTunnel } from "./dispatch-on.ts";
import type { Proxy } from "./proxy-choice.ts";
import type { TlsTrust } from "./tls-trust.ts";

/** The destination of a socket. */
export interface Destination {
  readonly url: URL;
  /** By which proxy. Default: none. */
  readonly proxy?: Proxy | undefined;
  /** Names what the way to the proxy, or the proxy itself, failed with. */
  readonly toProxyError: (error: Error, proxy: Proxy) => Error;
  /** How its name is looked up, where no proxy does that. Default: the system's way. */
  readonly lookup?: LookupFunction | undefined;
}

/** Opens a socket, with TLS where the URL wants it. When `signal` aborts, nothing is left of it. */
export type OpenSocket = (destination: Destination, signal: AbortSignal) => Promise<Socket>;

/**
 * Makes one, which remembers TLS sessions, so that the next connection to the same place is ready
 * sooner. `context` says whom to trust.
 */
export function createSocketOpener(context: (url: URL) => SecureContext | undefined): OpenSocket {
  const sessions = new Map<string, Buffer>();
  const connect = async (url: URL, { signal, ...way }: Way): Promise<Socket> => {
    const isSecure = url.protocol === "https:";
    const socket = isSecure
      ? connectTls(url, { ...way, sessions, context: context(url) })
      : connectTcp(url, way.lookup);
    // What comes after the first is of no interest.
    socket.on("error", ignore);
    try {
      await untilAborted(untilReady(socket, isSecure ? "secureConnect" : "connect"), signal);
    } catch (error) {
      socket.destroy();
      sessions.delete(url.origin);
      throw error;
    }
    return socket;
  };
  const connectToProxy = async (proxy: Proxy, url: URL, signal: AbortSignal): Promise<Socket> => {
    const socket = await connect(proxy.url, { signal });
    if (url.protocol !== "https:") return socket;
    const tunnel = openTunnel(socket, { proxy, authority: authorityOf(url) });
    await orDestroy(socket, untilAborted(tunnel, signal));
    return socket;
  };
  return async ({ url, proxy, lookup, toProxyError }, signal) => {
    if (proxy === undefined) return connect(url, { signal, lookup });
    const socket = await connectToProxy(proxy, url, signal).catch((error: Error) => {
      throw toProxyError(error, proxy);
    });
    return url.protocol === "https:" ? orDestroy(socket, connect(url, { signal, socket })) : socket;
  };
}

/** How a socket gets to where it leads. */
interface Way {
  readonly signal: AbortSignal;
  readonly lookup?: LookupFunction | undefined;
  /** The socket that leads there already. */
  readonly socket?: Socket;
}

function connectTcp(url: URL, lookup: LookupFunction | undefined): Socket {
  return process.getBuiltinModule("node:net").connect({ ...addressOf(url), ...(lookup !== undefined && { lookup }) });
}

interface TlsWay extends Omit<Way, "signal"> {
  readonly sessions: Map<string, Buffer>;
  readonly context: SecureContext | undefined;
}

function connectTls(url: URL, { lookup, socket, sessions, context }: TlsWay): Socket {
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

/** Settles as `work` does; the socket is destroyed when that fails. */
async function orDestroy<T>(socket: Socket, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

// A socket may close without an error.
function untilReady(socket: Socket, event: "connect" | "secureConnect"): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once(event, resolve);
    socket.once("error", reject);
    socket.once("close", () => reject(hangUp()));
  });
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

/**
 * Makes the trust of TLS connections: everybody that this process trusts anyway, with
 * `NODE_EXTRA_CA_CERTS`, and the authorities of `trust` (each text with one or more). The host's
 * own certificate goes to its origin alone. Made when first needed, and once. Throws what Node
 * throws for a text that has no certificate.
 */
export function createTrustedContext({ ca, own }: TlsTrust = { ca: [] }): (url: URL) => SecureContext | undefined {
  const made = new Map<boolean, SecureContext>();
  return ({ origin }) => {
    const isOwn = origin === own?.origin;
    if (ca.length === 0 && !isOwn) return undefined;
    const known = made.get(isOwn);
    if (known !== undefined) return known;
    const { createSecureContext } = process.getBuiltinModule("node:tls");
    const context = createSecureContext({
      ca: [...knownAuthorities(), ...ca],
      ...(isOwn && { cert: own?.cert, key: own?.key }),
    });
    made.set(isOwn, context);
    return context;
  };
}

function knownAuthorities(): readonly string[] {
  const tls: Tls = process.getBuiltinModule("node:tls");
  return tls.getCACertificates?.("default") ?? [...tls.rootCertificates, ...extraAuthorities()];
}

interface Tls {
  readonly rootCertificates: readonly string[];
  /** From Node 22.15 on. */
  readonly getCACertificates?: (kind: "default") => readonly string[];
}

// What Node itself has read at its start, and gives nobody.
function extraAuthorities(): readonly string[] {
  const file = process.env["NODE_EXTRA_CA_CERTS"];
  if (file === undefined || file === "") return [];
  try {
    return [process.getBuiltinModule("node:fs").readFileSync(file, "utf8")];
  } catch {
    // Node has warned about it.
    return [];
  }
}
