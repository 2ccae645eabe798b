import type { HostsideError } from "@hostside/core";
import { addressIn, untilAborted } from "@hostside/core/implement";
import { fromFetchError } from "./from-fetch-error.ts";
import type { HttpGuard } from "./http-guard.ts";
import type { HttpCall, HttpClient, HttpExchangeInit, HttpReply, HttpRequest } from "./http-exchange.ts";

/**
 * Something with the shape of the global `fetch`. It is called with `redirect: "manual"` and a
 * `signal`, and should honour both; decoding bodies is its job, following redirects is not.
 */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/**
 * An exchange on top of a `fetch`. It has no deadline for connecting: no `fetch` says when it is
 * connected. An aborted call is rejected even if the `fetch` ignores its signal.
 */
export function createFetchExchange(fetch: Fetch, init: HttpExchangeInit): HttpClient {
  return { start: (request) => startCall(request, fetch, init), close: () => {} };
}

function startCall({ method, url, headers, body }: HttpRequest, fetch: Fetch, init: HttpExchangeInit): HttpCall {
  const { serverId, redact, guard } = init;
  const controller = new AbortController();
  const { signal } = controller;
  // Before the server replied, only the `fetch` knows what was sent.
  let sent: true | undefined;
  const toError = (error: unknown): HostsideError =>
    signal.aborted ? (signal.reason as HostsideError) : fromFetchError(error, { serverId, redact, url, sent });
  const rethrow = (error: unknown): never => {
    throw toError(error);
  };
  const readBody = async (response: Response, onChunk: (chunk: Uint8Array) => void): Promise<void> => {
    if (response.body === null) return;
    const reader = response.body.getReader();
    try {
      for (;;) {
        const { done, value } = await reader.read().catch(rethrow);
        signal.throwIfAborted();
        if (done) return;
        onChunk(value);
      }
    } catch (error) {
      // The body is given up, and its own failure would say nothing new.
      reader.cancel().catch(() => {});
      throw error;
    }
  };
  const ask = async (): Promise<HttpReply> => {
    const refusal = guard && refuseFetch(url, guard);
    if (refusal !== undefined) throw refusal;
    const options = { method, headers, redirect: "manual", signal } as const;
    // An async function, for a `fetch` that throws where it should reject.
    const fetching = (async () => fetch(url.href, body === undefined ? options : { ...options, body }))();
    const response = await untilAborted(fetching.catch(rethrow), signal);
    sent = true;
    return {
      // A browser hides the status of a redirect that it did not follow.
      status: response.type === "opaqueredirect" ? 302 : response.status,
      header: (name) => response.headers.get(name) ?? undefined,
      read: (onChunk) => untilAborted(readBody(response, onChunk), signal),
      cancel: () => controller.abort(toError(undefined)),
      // A `fetch` does not say what has arrived.
      whole: () => undefined,
    };
  };
  return { reply: ask(), cancel: (reason) => controller.abort(reason) };
}

// Which address a `fetch` connects to, it does not say.
function refuseFetch(url: URL, guard: HttpGuard): HostsideError | undefined {
  return guard.refuseUrl(url) ?? (addressIn(url) === undefined ? guard.refuseAddress(undefined, url) : undefined);
}
