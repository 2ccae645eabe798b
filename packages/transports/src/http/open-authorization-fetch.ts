import type { AuthorizationFetch, ServerSpec } from "@hostside/core";
import { HostsideError } from "@hostside/core";
import { createDefaultExchange } from "#http-exchange";
import { passedHeaders, toHttpRequest } from "./auth/exchange-fetch.ts";
import { toTrust, type HttpReply } from "./exchange/http-exchange.ts";
import type { HttpOptions } from "./http-options.ts";

/** By which way a `fetch` for authorization servers goes. */
export interface AuthorizationFetchOptions extends Pick<HttpOptions, "ca" | "proxy"> {
  /** Whom it is for: its `tls` counts, and its id is in errors. Default: nobody in particular. */
  readonly server?: ServerSpec | undefined;
}

/**
 * Makes the `fetch` of `createAuthorizationFetch`. Its connections keep no process alive, and end
 * by themselves.
 */
export function openAuthorizationFetch({ proxy, ca, server }: AuthorizationFetchOptions): AuthorizationFetch {
  const serverId = server?.id ?? "authorization";
  const exchange = createDefaultExchange({
    serverId,
    proxy,
    trust: server?.url === undefined ? toTrust(ca) : toTrust(ca, server.tls, new URL(server.url).origin),
  });
  return async (url, options = {}) => {
    const signal = options.signal ?? undefined;
    signal?.throwIfAborted();
    const request = toHttpRequest(url, options);
    const call = exchange.start(request);
    const giveUp = (): void => {
      call.cancel(new HostsideError("the request was given up", { code: "aborted", serverId }));
    };
    signal?.addEventListener("abort", giveUp, { once: true });
    const done = (): void => signal?.removeEventListener("abort", giveUp);
    try {
      const reply = await call.reply;
      return toResponse(reply, done);
    } catch (error) {
      done();
      signal?.throwIfAborted();
      throw new TypeError("fetch failed", { cause: error });
    }
  };
}

// The body is left where it is until somebody reads it.
function toResponse(reply: HttpReply, onDone: () => void): Response {
  const headers = new Headers();
  for (const name of passedHeaders) {
    const value = reply.header(name);
    if (value !== undefined) headers.set(name, value);
  }
  const { status } = reply;
  if (status === 204 || status === 205 || status === 304) {
    onDone();
    reply.cancel();
    return new Response(null, { status, headers });
  }
  let isBegun = false;
  const body = new ReadableStream<Uint8Array>(
    {
      pull(stream) {
        if (isBegun) return;
        isBegun = true;
        reply
          .read((chunk) => stream.enqueue(chunk))
          .then(
            () => stream.close(),
            (error: unknown) => stream.error(new TypeError("fetch failed", { cause: error })),
          )
          .finally(onDone);
      },
      cancel() {
        reply.cancel();
        onDone();
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { status, headers });
}
