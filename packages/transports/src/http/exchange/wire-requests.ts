import type { WireRequest } from "../sockets/connection.ts";
import type { Proxy } from "../sockets/proxy-choice.ts";
import { wireError } from "../sockets/wire-error.ts";
import type { HttpRequest } from "./http-exchange.ts";

/**
 * Says how requests are put on the wire: what a proxy fetches itself has the whole URL. Throws an
 * error with a code `ERR_INVALID_…` for a header that none may be. What a request has in common
 * with the one before it, the very object of its headers and that of its URL, is not made again.
 */
export function createWireRequests(): (request: HttpRequest, proxy: Proxy | undefined) => WireRequest {
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
