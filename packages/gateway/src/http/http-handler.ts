import { resultWithin } from "@hostside/core/implement";
import type { Clients } from "../clients/clients.ts";
import { corsHeaders, isFromHere, authenticateRequest, HttpRefusal, replyPreflight } from "./authenticate-request.ts";
import { createHeldPeers } from "./held-peers.ts";
import type { GatewayHttpExchange } from "./http-exchange.ts";
import { readHttpOptions, type GatewayHttpOptions } from "./http-options.ts";
import {
  answerLegacyBatch,
  answerLegacyPost,
  answerModernPost,
  endSession,
  isModernPost,
  openSessionStream,
} from "./answer-messages.ts";
import { answerWebRequest } from "./web-exchange.ts";
import { beginsNothing, parseMessage, rpcCodes, type MessageBatch, type ReadMessage } from "../message/json-rpc.ts";
import { isModernRevision } from "../message/meta.ts";
import type { GatewayLimits } from "../settings/gateway-limits.ts";
import type { GatewaySettings } from "../settings/gateway-options.ts";

function endingRefusal(): HttpRefusal {
  return new HttpRefusal(503, "The gateway is closing", { headers: { "retry-after": "5" } });
}

/** A gateway over HTTP. */
export interface HttpHandler {
  /**
   * Answers a request of the web's `fetch` API: for Deno, Bun, workers, Hono and their like. If its
   * signal aborts before there is an answer, the answer is an empty 499. If the signal is aborted
   * from the start, nothing runs. Never rejects.
   */
  fetch(request: Request): Promise<Response>;
  /**
   * Answers an exchange of another HTTP server; `listen` of `@hostside/gateway/node` does. Resolves
   * when it is answered, or goes on as a stream.
   */
  handle(exchange: GatewayHttpExchange): Promise<void>;
  /** Ends all of its sessions and streams; the gateway stays. Idempotent, never rejects. */
  close(reason?: string): Promise<void>;
}

/** Options of {@linkcode createHttpHandler}. */
export interface HttpHandlerInit {
  readonly settings: GatewaySettings;
  readonly clients: Clients;
  readonly options: GatewayHttpOptions;
  readonly onClosed: () => void;
}

/** Makes it. Throws a `TypeError` for options. */
export function createHttpHandler(
  init: HttpHandlerInit,
): HttpHandler & { makeRoom(owner: string | undefined): boolean } {
  const { settings, clients, onClosed } = init;
  const http = readHttpOptions(init.options);
  const held = createHeldPeers(settings, clients);
  const beginBody = createIncomingBytes(settings.limits);
  let closing: Promise<void> | undefined;

  const answer = async (exchange: GatewayHttpExchange): Promise<void> => {
    if (!isFromHere(exchange, http)) return;
    const { method, path } = exchange;
    if (method === "OPTIONS") return replyPreflight(exchange);
    const isWellKnown = path === http.resource?.path || path === "/.well-known/oauth-protected-resource";
    if (http.resource !== undefined && isWellKnown && method === "GET") {
      const headers = { ...corsHeaders(exchange), "content-type": "application/json" };
      return exchange.reply(200, headers, JSON.stringify(http.resource.metadata));
    }
    if (path !== http.path) throw new HttpRefusal(404, "Not found");
    const who = await authenticateRequest(exchange, http, settings);
    if (closing !== undefined || (clients.isEnding && method !== "POST")) throw endingRefusal();
    const parts = { settings, clients, held, exchange, ...who };
    if (method === "GET") return openSessionStream(parts);
    if (method === "DELETE") return endSession(parts);
    if (method !== "POST") {
      throw new HttpRefusal(405, "Method not allowed", { headers: { allow: "GET, POST, DELETE" } });
    }
    const read = await readPost(exchange, settings, beginBody(who.owner));
    if (closing !== undefined || (clients.isEnding && read.kind === "batch")) throw endingRefusal();
    if (read.kind === "batch") return answerLegacyBatch(parts, read);
    // What is under way may finish, and so its questions may be answered.
    if (clients.isEnding && !beginsNothing(read)) throw endingRefusal();
    const version = exchange.header("mcp-protocol-version");
    const isModern = isModernPost(read) || (version !== undefined && isModernRevision(version));
    return isModern ? answerModernPost(parts, read) : answerLegacyPost(parts, read);
  };
  const handle = async (exchange: GatewayHttpExchange): Promise<void> => {
    try {
      await answer(exchange);
    } catch (error) {
      // A client that broke off, or a defect: either way nothing of it is for the client.
      const refusal = error instanceof HttpRefusal ? error : new HttpRefusal(500, "Internal error");
      try {
        if (refusal === error || !exchange.gone.aborted) refusal.reply(exchange);
      } catch {
        if (!exchange.gone.aborted) new HttpRefusal(500, "Internal error").reply(exchange);
      }
    }
  };
  return {
    handle,
    fetch: (request) => answerWebRequest(request, { handle, limits: settings.limits }),
    makeRoom: (owner) => held.makeRoom(owner),
    close(reason = "the gateway is closing") {
      onClosed();
      return (closing ??= held.close(reason));
    },
  };
}

/** The JSON of a POST, and its first number that lost digits. Throws an {@linkcode HttpRefusal}. */
async function readPost(
  exchange: GatewayHttpExchange,
  { limits }: Pick<GatewaySettings, "limits">,
  incoming: ReturnType<ReturnType<typeof createIncomingBytes>>,
): Promise<ReadMessage | MessageBatch> {
  const type = (exchange.header("content-type") ?? "").split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json") {
    throw new HttpRefusal(415, "Unsupported media type: the body has to be application/json");
  }
  const maxBytes = limits.maxBodyBytes;
  const reading = exchange.readBody(maxBytes, (bytes) => incoming.take(bytes));
  const body = await resultWithin(reading, limits.requestMs).finally(() => incoming.end());
  if (body === undefined) throw new HttpRefusal(408, "The body did not come in time");
  if ("problem" in body) {
    if (body.problem === "too-large") throw new HttpRefusal(413, `The body has more than ${maxBytes} bytes`);
    if (body.problem === "no-utf8") throw new HttpRefusal(400, "The body is no UTF-8");
    throw new HttpRefusal(503, "Too much comes in at a time: try again", { headers: { "retry-after": "1" } });
  }
  const read = parseMessage(body.text, limits.maxBodyValues);
  if (read.kind !== "unread") return read;
  if (read.isTooLarge) throw new HttpRefusal(413, read.reason);
  throw HttpRefusal.of(400, { code: rpcCodes.parseError, message: read.reason });
}

/**
 * Bounds the bytes of bodies that come in now, of all clients. A quarter is for each owner, and one
 * body at least, so that nobody fills all the room; who has no name of its own is the only one.
 */
function createIncomingBytes({
  maxIncomingBytes,
  maxBodyBytes,
}: Pick<GatewayLimits, "maxIncomingBytes" | "maxBodyBytes">) {
  const share = Math.max(Math.floor(maxIncomingBytes / 4), maxBodyBytes);
  const byOwner = new Map<string, number>();
  let all = 0;
  const count = (owner: string | undefined, bytes: number): void => {
    all += bytes;
    if (owner === undefined) return;
    const own = (byOwner.get(owner) ?? 0) + bytes;
    if (own > 0) byOwner.set(owner, own);
    else byOwner.delete(owner);
  };
  /** For the time of one body. */
  return (owner: string | undefined) => {
    let taken = 0;
    let isOver = false;
    return {
      /** Takes room for so many more bytes; `false`: there is none. */
      take(bytes: number): boolean {
        const own = owner === undefined ? 0 : (byOwner.get(owner) ?? 0);
        if (isOver || all + bytes > maxIncomingBytes || own + bytes > share) return false;
        taken += bytes;
        count(owner, bytes);
        return true;
      },
      /** Gives back what was taken; nothing is taken any more. */
      end(): void {
        isOver = true;
        count(owner, -taken);
        taken = 0;
      },
    };
  };
}
