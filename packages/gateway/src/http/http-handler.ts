import type { Clients } from "../clients/clients.ts";
import { corsHeaders, isFromHere, authenticateRequest, HttpRefusal, replyPreflight } from "./authenticate-request.ts";
import { createHeldPeers } from "./held-peers.ts";
import type { GatewayHttpExchange } from "./http-exchange.ts";
import { readHttpOptions, type GatewayHttpOptions } from "./http-options.ts";
import { answerLegacyBatch, answerLegacyPost, endSession, openSessionStream } from "./legacy-http.ts";
import { answerModernPost, isModernPost } from "./modern-http.ts";
import { createIncomingBytes, readPost } from "./read-post.ts";
import { answerWebRequest } from "./web-exchange.ts";
import { readMessage, beginsNothing } from "../message/json-rpc.ts";
import { isModernRevision } from "../message/meta.ts";
import type { GatewaySettings } from "../settings/gateway-options.ts";

function endingRefusal(): HttpRefusal {
  return new HttpRefusal(503, "The gateway is closing", { headers: { "retry-after": "5" } });
}

/** A gateway over HTTP. */
export interface HttpHandler {
  /**
   * Answers a request of the web's `fetch` API: for Deno, Bun, workers, Hono and their like. Where
   * its signal is aborted before there is an answer, that is an empty 499, and where it is from the
   * start, nothing runs. Never rejects.
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
  const incoming = createIncomingBytes(settings.limits);
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
    const value = await readPost(exchange, settings, incoming.begin(who.owner));
    if (closing !== undefined || (clients.isEnding && Array.isArray(value.json))) throw endingRefusal();
    if (Array.isArray(value.json)) return answerLegacyBatch(parts, value.json, value.lost);
    const read = readMessage(value.json, value.lost);
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
