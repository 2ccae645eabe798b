import { assertKnownOptions, settleWithin } from "@hostside/core/implement";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { httpOptionFields, type GatewayHttpOptions } from "../http/http-options.ts";
import { createExchanges } from "./node-exchange.ts";
import type { Gateway } from "../serving/gateway.ts";

/** Options of {@linkcode listen}. */
export interface ListenOptions extends GatewayHttpOptions {
  /** Default 0: any that is free. */
  readonly port?: number | undefined;
  /**
   * Address of this machine. Default `127.0.0.1`: nobody else reaches it. Another one than that,
   * `::1` and `localhost` needs `allowedHosts`, and should have TLS in front of it.
   */
  readonly host?: string | undefined;
}

/** A gateway on a port. */
export interface GatewayServer extends AsyncDisposable {
  /** With the port that it has: `http://127.0.0.1:7777/mcp`. */
  readonly url: string;
  readonly port: number;
  /**
   * Ends it: no new connections, its sessions closed, all sockets gone within 5 s. Closing the
   * gateway first lets what is under way finish. Idempotent, never rejects.
   */
  close(reason?: string): Promise<void>;
}

const own = { ...httpOptionFields, port: true, host: true } as const;
const longestEndMs = 5000;

/**
 * Listens. Throws a `TypeError` for options, and rejects with Node's error where the port cannot be
 * had.
 *
 * @example
 * await using server = await listen(gateway, { port: 7777, auth: { token } });
 * console.log(server.url);
 */
export async function listen(gateway: Gateway, options: ListenOptions): Promise<GatewayServer> {
  assertKnownOptions("listen()", options, own);
  const { port = 0, host = "127.0.0.1", ...httpOptions } = options;
  if (!named.has(host) && httpOptions.allowedHosts === undefined) {
    const known = Array.from(named).join(", ");
    throw new TypeError(`host is none of ${known}: allowedHosts has to say what clients call this machine`);
  }
  const { limits } = gateway;
  const handler = gateway.http(httpOptions);
  const toExchange = createExchanges(limits);
  const server = createServer((request, response) => {
    void handler.handle(toExchange(request, response));
  });
  // The handler bounds the time of a body, by its own clock.
  server.requestTimeout = 0;
  server.headersTimeout = 30_000;
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(port, host, () => {
        server.off("error", reject);
        resolve();
      });
    });
  } catch (error) {
    await handler.close();
    throw error;
  }
  const address = server.address() as AddressInfo;
  let closing: Promise<void> | undefined;
  const end = async (reason: string | undefined): Promise<void> => {
    const closed = new Promise<void>((resolve) => {
      server.close(() => resolve());
    });
    await handler.close(reason);
    server.closeIdleConnections();
    await settleWithin(closed, longestEndMs);
    server.closeAllConnections();
    await closed;
  };
  const close = (reason?: string): Promise<void> => (closing ??= end(reason));
  const shown = host.includes(":") ? `[${host}]` : host;
  return {
    url: `http://${shown}:${address.port}${httpOptions.path ?? "/mcp"}`,
    port: address.port,
    close,
    [Symbol.asyncDispose]: () => close(),
  };
}

const named: ReadonlySet<string> = new Set(["127.0.0.1", "::1", "localhost"]);
