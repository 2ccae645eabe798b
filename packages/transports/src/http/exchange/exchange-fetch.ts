import { HostsideError, type AuthorizationFetch } from "@hostside/core";
import { createBoundedFetch, learnSecrets } from "@hostside/core/implement";
import type { ServerContext } from "../../context/server-context.ts";
import type { HttpClient, HttpRequest } from "./http-exchange.ts";

/** A `fetch` over an exchange, for OAuth code, within the bounds of `createBoundedFetch`. */
export function createExchangeFetch(
  exchange: HttpClient,
  { serverId, secrets }: Pick<ServerContext, "secrets" | "serverId">,
): AuthorizationFetch {
  const fetch = async (url: string | URL, options: RequestInit) => {
    const call = exchange.start(toHttpRequest(url, options));
    const cancel = (): void => call.cancel(givenUp(serverId));
    options.signal?.addEventListener("abort", cancel, { once: true });
    const reply = await call.reply;
    return {
      type: "default" as const,
      status: reply.status,
      headers: { get: (name: string) => reply.header(name) ?? null },
      body: new ReadableStream<Uint8Array<ArrayBuffer>>({
        async start(controller) {
          await reply.read((chunk) => controller.enqueue(new Uint8Array(chunk)));
          controller.close();
        },
        cancel: () => reply.cancel(),
      }),
    };
  };
  return learnSecrets(createBoundedFetch({ fetch, server: { serverId } }), secrets);
}

/**
 * Makes the request of an exchange from that of a `fetch`. Throws a `TypeError` for what OAuth code
 * does not send.
 */
function toHttpRequest(url: string | URL, { method = "GET", headers, body }: RequestInit): HttpRequest {
  const names = new Headers(headers);
  if (body instanceof URLSearchParams && !names.has("content-type")) {
    names.set("content-type", "application/x-www-form-urlencoded;charset=UTF-8");
  }
  if (method !== "GET" && method !== "POST") throw new TypeError(`unexpected method ${method}`);
  if (body != null && typeof body !== "string" && !(body instanceof URLSearchParams)) {
    throw new TypeError("the body must be a string or URLSearchParams");
  }
  return { method, url: new URL(url), headers: Object.fromEntries(names), body: body?.toString() };
}

function givenUp(serverId: string): HostsideError {
  return new HostsideError("the request to an authorization server was given up", { code: "aborted", serverId });
}
