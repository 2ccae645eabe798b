/// <reference lib="esnext.disposable" preserve="true" />
import type { ElicitationRequest, ElicitationResult } from "@hostside/core";
import { settleWithin } from "@hostside/core/implement";
import { createClients } from "../clients/clients.ts";
import { createHttpHandler, type HttpHandler } from "../http/http-handler.ts";
import type { GatewayHttpOptions } from "../http/http-options.ts";
import type { GatewayLimits } from "../settings/gateway-limits.ts";
import { readGatewayOptions, type GatewayOptions } from "../settings/gateway-options.ts";
import { createMessageConnection, type MessageConnection, type SendText } from "../stdio/message-connection.ts";

/** The current load of a gateway. */
export interface GatewayStats {
  /** Clients with a conversation. */
  readonly clients: number;
  /** Requests under way, and calls that wait for a user. */
  readonly busy: number;
  readonly subscriptions: number;
  /** Calls that wait for their client to come back with an answer. */
  readonly parked: number;
}

/**
 * One MCP server in front of everything that its conversations have. Speaks 2024-11-05 to
 * 2025-11-25, and 2026-07-28.
 */
export interface Gateway extends AsyncDisposable {
  /**
   * Asks the user of the client that a question belongs to, by `context.conversation` (and
   * `context.causationId`, which each call has); give it to the provider as `onElicit`, and to
   * whoever approves. A client with a session gets an `elicitation/create`. A client of 2026-07-28
   * gets an `input_required`, and its call waits until the client comes back. Rejects with
   * `unsupported_operation` where it is not known whose question it is, or the client cannot ask:
   * nobody else is asked. Resolves with `cancel` when `signal` aborts or the client goes.
   */
  elicit(request: ElicitationRequest, signal: AbortSignal): Promise<ElicitationResult>;
  /**
   * Serves over HTTP. Throws a `TypeError` for options, such as without `auth`. Several may serve
   * at a time.
   */
  http(options: GatewayHttpOptions): HttpHandler;
  /**
   * Serves one client over a connection of its own: hand it the messages that come, as texts, and
   * what sends one. `onClosed` is called once, when it has ended, also with the gateway.
   * `serveStdio` of `@hostside/gateway/node` does.
   */
  connect(send: SendText, onClosed?: (reason: string) => void): MessageConnection;
  /** The limits in use: those that were given, and the defaults of the others. */
  readonly limits: GatewayLimits;
  stats(): GatewayStats;
  /**
   * Takes nothing new, lets what is under way finish for `drainMs` (default 5,000), then gives it
   * up and closes all conversations. Idempotent, never rejects; afterwards nothing is left of it.
   */
  close(reason?: string, options?: { readonly drainMs?: number | undefined }): Promise<void>;
}

/**
 * Makes a gateway. Nothing is served before {@linkcode Gateway.http} or
 * {@linkcode Gateway.connect}, and no conversation opened before there is a client.
 *
 * Throws a `TypeError` that names an option that is unknown, missing or of a wrong type, and
 * `unknown_tool` for tools that are to be exposed and that `catalog` does not have.
 *
 * @example
 * const gateway = createGateway({
 *   name: "my-tools",
 *   version: "1.0.0",
 *   expose: "search",
 *   tools: "all",
 *   open: (client) => ({ tools: toolbox.view(client.view) }),
 * });
 */
export function createGateway(options: GatewayOptions): Gateway {
  const settings = readGatewayOptions(options);
  const handlers = new Set<HttpHandler & { makeRoom(owner: string | undefined): boolean }>();
  const connections = new Set<MessageConnection>();
  const clients = createClients(settings, (owner) => Array.from(handlers).some((handler) => handler.makeRoom(owner)));
  let closing: Promise<void> | undefined;

  const closeAll = async (reason: string, drainMs: number): Promise<void> => {
    clients.end();
    await settleWithin(Promise.all(clients.all.map((peer) => peer.idle())), drainMs);
    await Promise.all([
      ...Array.from(handlers, (handler) => handler.close(reason)),
      ...Array.from(connections, (connection) => connection.close(reason)),
    ]);
    await Promise.all(clients.all.map((peer) => clients.close(peer, reason)));
  };
  const close: Gateway["close"] = (reason = "the gateway is closing", { drainMs = 5000 } = {}) =>
    (closing ??= closeAll(reason, drainMs));
  return {
    elicit: (request, signal) => clients.elicit(request, signal),
    http(httpOptions) {
      const handler = createHttpHandler({
        settings,
        clients,
        options: httpOptions,
        onClosed: () => handlers.delete(handler),
      });
      handlers.add(handler);
      return handler;
    },
    limits: settings.limits,
    connect(send, onClosed) {
      const connection = createMessageConnection(clients, settings.limits, {
        send,
        onClosed(reason) {
          connections.delete(connection);
          onClosed?.(reason);
        },
      });
      connections.add(connection);
      return connection;
    },
    stats() {
      const stats = { clients: 0, busy: 0, subscriptions: 0, parked: 0 };
      for (const { busy, subscriptions, parked } of clients.all) {
        stats.clients += 1;
        stats.busy += busy;
        stats.subscriptions += subscriptions;
        stats.parked += parked;
      }
      return stats;
    },
    close,
    [Symbol.asyncDispose]: () => close(),
  };
}
