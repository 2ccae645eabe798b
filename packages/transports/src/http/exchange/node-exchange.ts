import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import type { Readable } from "node:stream";
import type { BrotliDecompress, Unzip } from "node:zlib";
import { defaultLimits, isToolportError, type ToolportError } from "@toolport/core";
import { systemClock } from "@toolport/core/implement";
import {
  connectTimedOut,
  fromFetchError,
  growsTooMuch,
  switchesProtocol,
  unknownEncoding,
  type FailedRequest,
} from "./from-fetch-error.ts";
import { handOnInTurns } from "../../bytes/hand-on-in-turns.ts";
import { asksForAddresses, guardLookup, type LookupAll } from "./guarded-lookup.ts";
import { addressIn, type HttpGuard } from "./http-guard.ts";
import type { HttpCall, HttpExchange, HttpExchangeInit, HttpReply, HttpRequest } from "./http-exchange.ts";

// Servers commonly close an idle connection after 5 s. A request that crosses such a close is lost with an unknown outcome, so we
// let go first.
const idleConnectionMs = 4000;
// What honest streams do not come near, and a body that was made to keep a host busy exceeds a thousandfold.
const greatestGrowth = 100;

/** What Node's exchange is made from. */
export interface NodeExchangeInit extends HttpExchangeInit {
  /** How a guarded connection finds addresses, for tests. Default: the system's way. */
  readonly lookup?: LookupAll | undefined;
}

/** The exchange of Node: `node:http` on kept-alive connections, without the fixed time limits of Node's `fetch`. */
export function createDefaultExchange(init: NodeExchangeInit): HttpExchange {
  const clients = new Map<string, Client>();
  const decoding = new Set<() => void>();
  const clientFor = ({ protocol }: URL): Client => {
    const client = clients.get(protocol) ?? openClient(protocol);
    clients.set(protocol, client);
    return client;
  };
  return {
    start: (request) => startCall(request, { ...init, clientFor, decoding }),
    close() {
      for (const { agent } of clients.values()) agent.destroy();
      // A body that has arrived has no connection any more, and may still have gigabytes in it.
      for (const stop of decoding) stop();
    },
  };
}

/** A module of Node's, and its kept-alive connections. */
interface Client {
  readonly agent: Agent;
  readonly request: (options: RequestOptions) => ClientRequest;
}

// By `import`, `node:http` would come with all of Node's `fetch`, because a module namespace evaluates every getter: 15 ms and 2 MB
// for something that is not used here. And only those who speak HTTPS need load that.
function openClient(protocol: string): Client {
  const { Agent, request } = process.getBuiltinModule(protocol === "https:" ? "node:https" : "node:http");
  return { agent: new Agent({ keepAlive: true, timeout: idleConnectionMs }), request };
}

/** What the calls of an exchange share. */
interface ExchangeParts extends NodeExchangeInit {
  readonly clientFor: (url: URL) => Client;
  /** Stops each body that is being decoded. */
  readonly decoding: Set<() => void>;
}

/** What the parts of one call tell each other. */
interface CallState {
  /** Whether bytes of the request may have left. */
  sent: boolean;
  /** Why the call was taken back. */
  cancelled: ToolportError | undefined;
  /** Rejects what the caller is waiting for: the reply, then its body. */
  reject: (reason: unknown) => void;
  toError(error: unknown): ToolportError;
  /** Names the request in errors. */
  readonly context: Omit<FailedRequest, "sent">;
  readonly parts: ExchangeParts;
}

function startCall(request: HttpRequest, parts: ExchangeParts): HttpCall {
  const { url } = request;
  const { serverId, redact, connectTimeoutMs = 15_000, clock = systemClock, clientFor } = parts;
  const context = { serverId, url, redact };
  const state: CallState = {
    context,
    parts,
    sent: false,
    cancelled: undefined,
    reject: () => {},
    toError: (error) =>
      // Of ours is what a guard refused an address with.
      state.cancelled ?? (isToolportError(error) ? error : fromFetchError(error, { ...context, sent: state.sent })),
  };
  let outgoing: ClientRequest | undefined;
  const cancel = (reason: ToolportError): void => {
    state.cancelled ??= reason;
    state.reject(reason);
    outgoing?.destroy();
  };
  const reply = new Promise<HttpReply>((resolve, reject) => {
    state.reject = reject;
    const refusal = parts.guard && refuseRequest(url, parts.guard);
    if (refusal !== undefined) return reject(refusal);
    try {
      outgoing = openRequest(request, clientFor(url), parts);
    } catch (error) {
      return reject(state.toError(error));
    }
    outgoing.on("socket", (socket) => {
      state.sent = !socket.connecting;
      if (state.sent) return;
      const cancelTimer = clock.schedule(connectTimeoutMs, () => cancel(connectTimedOut(context, connectTimeoutMs)));
      socket.once("close", cancelTimer);
      // Until then the request waits in the socket.
      socket.once(url.protocol === "https:" ? "secureConnect" : "connect", () => {
        cancelTimer();
        state.sent = true;
      });
    });
    outgoing.on("response", (message) => {
      // Whatever the socket said: who replies has the request.
      state.sent = true;
      if (message.statusCode === 101) cancel(switchesProtocol(context));
      else resolve(createReply(message, state));
    });
    // Without a listener Node drops the connection and tells nobody.
    outgoing.on("upgrade", (_message, socket) => {
      socket.destroy();
      cancel(switchesProtocol(context));
    });
    outgoing.on("error", (error) => reject(state.toError(error)));
    outgoing.end(request.body);
  });
  return { reply, cancel };
}

function refuseRequest(url: URL, guard: HttpGuard): ToolportError | undefined {
  const isUnknown = !asksForAddresses() && addressIn(url) === undefined;
  return guard.refuseUrl(url) ?? (isUnknown ? guard.refuseAddress(undefined, url) : undefined);
}

function openRequest(
  { method, url, headers, body }: HttpRequest,
  client: Client,
  { guard, lookup }: NodeExchangeInit,
): ClientRequest {
  // A flat list is checked like an object and costs Node half as much.
  const list = ["host", url.host, "accept-encoding", "gzip, deflate, br"];
  for (const name of Object.keys(headers)) list.push(name, headers[name] ?? "");
  if (body !== undefined) list.push("content-length", String(Buffer.byteLength(body)));
  return client.request({
    agent: client.agent,
    method,
    headers: list,
    // IPv6 addresses go without their brackets.
    hostname: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: url.port,
    path: `${url.pathname}${url.search}`,
    // Of a connection that is open already, the address was checked when it was made.
    ...(guard !== undefined && { lookup: guardLookup(url, guard, lookup) }),
  });
}

function createReply(message: IncomingMessage, state: CallState): HttpReply {
  const { decoding, clock = systemClock } = state.parts;
  return {
    status: message.statusCode ?? 0,
    header(name) {
      const value = message.headers[name];
      return Array.isArray(value) ? value.join(", ") : value;
    },
    read: (onChunk) =>
      new Promise((resolve, reject) => {
        let isOpen = true;
        let body: Readable | undefined;
        const settle = (): boolean => {
          const wasOpen = isOpen;
          isOpen = false;
          if (wasOpen && body !== message) decoding.delete(abandon);
          return wasOpen;
        };
        const stop = (error: unknown): void => {
          if (!settle()) return;
          message.destroy();
          // A decoder needs no connection to go on with what it holds.
          body?.destroy();
          reject(error);
        };
        const abandon = (): void => stop(state.toError(undefined));
        state.reject = stop;
        if (state.cancelled !== undefined) return stop(state.cancelled);
        const encoding = message.headers["content-encoding"]?.trim().toLowerCase() ?? "";
        const decoder = decoderFor(encoding);
        if (decoder === undefined) return stop(unknownEncoding(state.context, encoding));
        body = decoder === "none" ? message : pipeThrough(message, decoder);
        const growth = decoder === "none" ? undefined : watchGrowth(decoder, state);
        if (growth !== undefined) decoding.add(abandon);
        let hasEnded = false;
        const finish = (): void => {
          if (hasEnded && settle()) resolve();
        };
        const turns = handOnInTurns<Buffer>({
          source: body,
          clock,
          onBytes(bytes) {
            if (!isOpen) return;
            try {
              growth?.(bytes);
              onChunk(bytes);
            } catch (error) {
              stop(error);
            }
          },
          onCaughtUp: finish,
        });
        body.on("data", (chunk: Buffer) => turns.take(chunk));
        body.on("end", () => {
          hasEnded = true;
          if (!turns.isBehind) finish();
        });
        body.on("error", (error) => {
          turns.flush();
          if (isOpen) stop(state.toError(error));
        });
      }),
    cancel() {
      state.reject(state.toError(undefined));
      message.destroy();
    },
  };
}

type Decoder = BrotliDecompress | Unzip;

/** What turns a body into what the server meant; `undefined` for an encoding that was not offered. */
function decoderFor(encoding: string): Decoder | "none" | undefined {
  switch (encoding) {
    case "":
    case "identity":
      return "none";
    case "gzip":
    case "x-gzip":
    case "deflate":
      return process.getBuiltinModule("node:zlib").createUnzip();
    case "br":
      return process.getBuiltinModule("node:zlib").createBrotliDecompress();
    default:
      return undefined;
  }
}

function pipeThrough(message: IncomingMessage, decoder: Decoder): Readable {
  // `pipe` forwards no errors.
  message.once("error", (error) => decoder.destroy(error));
  return message.pipe(decoder);
}

/**
 * Throws once a body is larger than any message may be, and more than a hundred times larger than what arrived of it. Whoever reads a
 * message stops at its limit; but a stream of events has none, and a few bytes could keep its reader busy for hours.
 */
function watchGrowth(decoder: Decoder, { context, parts }: CallState): (chunk: Uint8Array) => void {
  const { maxMessageBytes = defaultLimits.maxMessageBytes } = parts;
  let decodedBytes = 0;
  return ({ length }) => {
    decodedBytes += length;
    if (decodedBytes <= maxMessageBytes || decodedBytes <= greatestGrowth * decoder.bytesWritten) return;
    throw growsTooMuch(context, greatestGrowth);
  };
}
