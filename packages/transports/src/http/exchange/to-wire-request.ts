import type { WireRequest } from "../sockets/connection.ts";
import type { Proxy } from "../sockets/proxy-choice.ts";
import { wireError } from "../sockets/wire-error.ts";
import type { HttpRequest } from "./http-exchange.ts";

/** A request as it is put on the wire: what a proxy fetches itself has the whole URL. Throws an error with a code `ERR_INVALID_…` for a header that none may be. */
export function toWireRequest({ method, url, headers, body }: HttpRequest, proxy: Proxy | undefined): WireRequest {
  const list = ["accept-encoding", "gzip, deflate, br"];
  for (const name of Object.keys(headers)) {
    const value = headers[name] ?? "";
    // Before a connection is made for nothing.
    if (!token.test(name)) throw wireError("ERR_INVALID_HTTP_TOKEN", "the name of a header is malformed");
    if (illegal.test(value)) throw wireError("ERR_INVALID_CHAR", "no header can carry this value");
    list.push(name, value);
  }
  const path = `${url.pathname}${url.search}`;
  if (proxy === undefined || url.protocol !== "http:") return { method, target: path, headers: list, body };
  if (proxy.authorization !== undefined) list.push("proxy-authorization", proxy.authorization);
  return { method, target: `${url.origin}${path}`, headers: list, body };
}

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const illegal = /[^\t\x20-\x7e\x80-\xff]/;
