import { createFetchExchange } from "./fetch-exchange.ts";
import type { HttpClient, HttpExchangeInit } from "./http-exchange.ts";

/**
 * The exchange of runtimes other than Node: their own `fetch`, looked up when the connection is
 * made.
 */
export function createDefaultExchange(init: HttpExchangeInit): HttpClient {
  return createFetchExchange((url, request) => globalThis.fetch(url, request), init);
}
