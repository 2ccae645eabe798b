import { addressIn, clock } from "@hostside/core/implement";
import { isHostsideError, type HostsideError } from "@hostside/core";
import {
  connectTimedOut,
  fromFetchError,
  proxyFailed,
  unsupportedProxy,
  type FailedRequest,
} from "./from-fetch-error.ts";
import type { HttpGuard } from "./http-guard.ts";
import type { HttpCall, HttpClient, HttpExchangeInit, HttpReply, HttpRequest } from "./http-exchange.ts";
import { type BodiesContext, type BodyContext, NodeReply } from "./node-reply.ts";
import {
  type ReplySink,
  type ResponseHeaders,
  type SocketConnection,
  type WireRequest,
  Connections,
} from "../sockets/connection.ts";
import { refusedByProxy, wireError } from "../sockets/dispatch-on.ts";
import { createProxyChoice, type Proxy, type ProxyChoice } from "../sockets/proxy-choice.ts";
import type { LookupAddress, LookupAllOptions } from "node:dns";
import type { LookupFunction } from "node:net";

// Servers commonly close an idle connection after 5 s. A request that crosses such a close is lost
// with an unknown outcome, so we let go first.
const idleConnectionMs = 4000;

/** The parts of Node's exchange. */
export interface NodeExchangeInit extends HttpExchangeInit {
  /** How a guarded connection finds addresses, for tests. Default: the system's way. */
  readonly lookup?: LookupAll | undefined;
}

/**
 * The exchange of Node: HTTP/1.1 on kept-alive connections, without the fixed time limits of Node's
 * `fetch`.
 */
export function createDefaultExchange(init: NodeExchangeInit): HttpClient {
  const { proxy = false, trust } = init;
  const connections = new Connections(idleConnectionMs, trust);
  const decoding = new Set<() => void>();
  const proxyFor = createProxyChoice(proxy);
  const parts: ExchangeParts = { ...init, connections, decoding, proxyFor, toWire: createWireRequests() };
  return {
    start: (request) => new NodeCall(request, parts),
    close() {
      connections.close();
      // A body that has arrived has no connection any more, and may still have gigabytes in it.
      for (const stop of decoding) stop();
    },
  };
}

/** The parts that the calls of an exchange share. */
interface ExchangeParts extends NodeExchangeInit {
  readonly connections: Connections;
  readonly proxyFor: ProxyChoice;
  readonly toWire: ReturnType<typeof createWireRequests>;
  /** Stops each body that is being decoded. */
  readonly decoding: Set<() => void>;
}

// A class, because there is one for each call. Whatever is made where the whole of an exchange is
// in reach keeps the whole of it.
class NodeCall implements HttpCall, ReplySink, BodyContext {
  readonly reply: Promise<HttpReply>;
  readonly #url: URL;
  readonly #parts: ExchangeParts;
  #resolve: (reply: HttpReply) => void = ignore;
  #reject: (reason: unknown) => void = ignore;
  #wire: WireRequest | undefined;
  #proxy: Proxy | undefined;
  /** The connection that is being opened. */
  #opening: AbortController | undefined;
  #connection: SocketConnection | undefined;
  /** True if bytes of the request may have left. */
  #isSent = false;
  #received: NodeReply | undefined;
  #cancelled: HostsideError | undefined;

  constructor(request: HttpRequest, parts: ExchangeParts) {
    this.#url = request.url;
    this.#parts = parts;
    this.reply = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#start(request);
  }

  get shared(): BodiesContext {
    return this.#parts;
  }

  get failed(): Omit<FailedRequest, "sent"> {
    const { serverId, redact } = this.#parts;
    return { serverId, url: this.#url, redact };
  }

  toError(error: unknown): HostsideError {
    // Of ours is what a guard refused an address with.
    const known = this.#cancelled ?? (isHostsideError(error) ? error : undefined);
    return known ?? fromFetchError(error, { ...this.failed, sent: this.#isSent });
  }

  cancel(reason: HostsideError): void {
    this.#cancelled ??= reason;
    if (this.#received !== undefined) return this.#received.stop(reason);
    this.#reject(reason);
    this.#opening?.abort(reason);
    this.#connection?.destroy();
  }

  onSending(): void {
    this.#isSent = true;
  }

  onHead(status: number, headers: ResponseHeaders): void {
    const connection = this.#connection;
    if (connection === undefined) return;
    if (status === 407 && this.#proxy !== undefined && this.#url.protocol === "http:") {
      return this.cancel(proxyFailed({ ...this.failed, proxy: this.#proxy }, refusedByProxy(status)));
    }
    this.#received = new NodeReply(status, headers, { connection, context: this });
    this.#resolve(this.#received);
  }

  onBody(bytes: Buffer): void {
    this.#received?.onBody(bytes);
  }

  onEnd(): void {
    this.#received?.onEnd();
  }

  onError(error: Error): void {
    if (this.#received !== undefined) this.#received.onError(error);
    else if (this.#isSent || this.#cancelled !== undefined || this.#wire === undefined)
      this.#reject(this.toError(error));
    // It had been closed before anything was sent.
    else void this.#open(this.#wire);
  }

  #start(request: HttpRequest): void {
    const { url } = request;
    const { proxyFor, guard, connections, toWire } = this.#parts;
    const proxy = proxyFor(url);
    if (proxy === "unsupported") return this.#reject(unsupportedProxy(this.failed));
    const refusal = guard && refuseRequest(url, guard, proxy);
    if (refusal !== undefined) return this.#reject(refusal);
    this.#proxy = proxy;
    try {
      const wire = toWire(request, proxy);
      this.#wire = wire;
      const idle = connections.takeIdle(wire.origin);
      if (idle === undefined) void this.#open(wire);
      else this.#send(wire, idle);
    } catch (error) {
      this.#reject(this.toError(error));
    }
  }

  #send(wire: WireRequest, connection: SocketConnection): void {
    this.#opening = undefined;
    this.#connection = connection;
    connection.send(wire, this);
  }

  /** Opens a connection within its time, and sends the request. */
  async #open(wire: WireRequest): Promise<void> {
    const { failed } = this;
    const { url } = failed;
    const proxy = this.#proxy;
    const { guard, lookup, connections, connectTimeoutMs = 15_000 } = this.#parts;
    const opening = new AbortController();
    this.#connection = undefined;
    this.#opening = opening;
    const late = (): void => this.cancel(connectTimedOut({ ...failed, proxy }, connectTimeoutMs));
    const cancelTimer = clock.schedule(connectTimeoutMs, late);
    try {
      const toProxyError = (error: Error, by: Proxy): HostsideError => proxyFailed({ ...failed, proxy: by }, error);
      // Of a connection that is open already, the address was checked when it was made.
      const destination = { url, proxy, toProxyError, lookup: guard && guardLookup(url, guard, lookup) };
      const connection = await connections.open(destination, opening);
      // Cancelled in the moment in which it was ready.
      if (this.#cancelled === undefined) this.#send(wire, connection);
      else connection.destroy();
    } catch (error) {
      this.#reject(this.toError(error));
    } finally {
      cancelTimer();
    }
  }
}

function refuseRequest(url: URL, guard: HttpGuard, proxy: Proxy | undefined): HostsideError | undefined {
  const isUnknown = (proxy !== undefined || !asksForAddresses()) && addressIn(url) === undefined;
  return guard.refuseUrl(url) ?? (isUnknown ? guard.refuseAddress(undefined, url) : undefined);
}

function ignore(): void {
  // The promise has its functions by the time they are needed.
}

/**
 * Says how requests are put on the wire: what a proxy fetches itself has the whole URL. Throws an
 * error with a code `ERR_INVALID_…` for a header that none may be. Parts are not made again for a
 * request with the same headers object, or the same URL object, as the one before it.
 */
function createWireRequests(): (request: HttpRequest, proxy: Proxy | undefined) => WireRequest {
  let url: URL | undefined;
  let headers: HttpRequest["headers"] | undefined;
  let origin = "";
  let path = "";
  let list: readonly string[] = [];
  return (request, proxy) => {
    if (headers !== request.headers) {
      list = toHeaderList(request.headers);
      headers = request.headers;
    }
    if (url !== request.url) {
      url = request.url;
      origin = url.origin;
      path = `${url.pathname}${url.search}`;
    }
    const { method, body } = request;
    if (proxy === undefined || url.protocol !== "http:") return { origin, method, target: path, headers: list, body };
    const { authorization } = proxy;
    const forProxy = authorization === undefined ? list : [...list, "proxy-authorization", authorization];
    return { origin, method, target: `${origin}${path}`, headers: forProxy, body };
  };
}

// Looked at here, before a connection is made for nothing.
function toHeaderList(headers: HttpRequest["headers"]): readonly string[] {
  const list = headers["accept-encoding"] === undefined ? ["accept-encoding", "gzip, deflate, br"] : [];
  for (const name of Object.keys(headers)) {
    const value = headers[name] ?? "";
    if (!token.test(name)) throw wireError("ERR_INVALID_HTTP_TOKEN", "the name of a header is malformed");
    if (illegal.test(value)) throw wireError("ERR_INVALID_CHAR", "no header can carry this value");
    list.push(name, value);
  }
  return list;
}

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const illegal = /[^\t\x20-\x7e\x80-\xff]/;

/** Finds all addresses of a name, as `lookup` of `node:dns` does. */
export type LookupAll = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * Makes the lookup of a socket: the address that it gets is the one that it connects to, so that a
 * check and its connection cannot see different answers. Addresses that are refused are left out,
 * and the others stay in their order, so that one which does not answer is still followed by the
 * next. If no address is left, the socket fails with the first refusal.
 */
export function guardLookup(url: URL, guard: HttpGuard, lookup: LookupAll = systemLookup): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, "");
      const refusals = addresses.map(({ address }) => guard.refuseAddress(address, url));
      const allowed = addresses.filter((_, index) => refusals[index] === undefined);
      const [first] = allowed;
      if (first === undefined) return callback(refusals[0] ?? noAddress(hostname), "");
      if (options.all === true) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
}

/**
 * True if the sockets of this runtime ask {@linkcode guardLookup}; those that only look like Node
 * may connect without.
 */
export function asksForAddresses(versions: Readonly<Record<string, string | undefined>> = process.versions): boolean {
  return versions["bun"] === undefined && versions["deno"] === undefined;
}

const systemLookup: LookupAll = (hostname, options, callback) =>
  process.getBuiltinModule("node:dns").lookup(hostname, options, callback);

function noAddress(hostname: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`no address for ${hostname}`), { code: "ENOTFOUND" });
}
