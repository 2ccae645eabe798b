import type { HostsideError } from "@hostside/core";
import { fromFetchError } from "./from-fetch-error.ts";
import { addressIn, type HttpGuard } from "./http-guard.ts";
import type { HttpCall, HttpClient, HttpExchangeInit, HttpReply, HttpRequest } from "./http-exchange.ts";

/**
 * Something with the shape of the global `fetch`. It is called with `redirect: "manual"` and a
 * `signal`, and should honour both; decoding bodies is its job, following redirects is not.
 */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/**
 * An exchange on top of a `fetch`. It has no deadline for connecting: no `fetch` says when it is
 * connected.
 */
export function createFetchExchange(fetch: Fetch, init: HttpExchangeInit): HttpClient {
  return { start: (request) => startCall(request, fetch, init), close: () => {} };
}

/** The state that the parts of one call share. */
interface CallState {
  /** The server replied, so that it has the request. Before that only the `fetch` knows. */
  isReplied: boolean;
  /** Why the call was taken back. */
  cancelled: HostsideError | undefined;
  /** Rejects what the caller is waiting for, also when the `fetch` is deaf to its signal. */
  reject: (reason: unknown) => void;
  toError(error: unknown): HostsideError;
  /** Ends the `fetch`, body included. */
  abort(): void;
}

function startCall({ method, url, headers, body }: HttpRequest, fetch: Fetch, init: HttpExchangeInit): HttpCall {
  const controller = new AbortController();
  const state: CallState = {
    isReplied: false,
    cancelled: undefined,
    reject: () => {},
    toError: (error) =>
      state.cancelled ??
      fromFetchError(error, { serverId: init.serverId, redact: init.redact, url, sent: state.isReplied || undefined }),
    abort: () => controller.abort(),
  };
  const reply = new Promise<HttpReply>((resolve, reject) => {
    state.reject = reject;
    const refusal = init.guard && refuseFetch(url, init.guard);
    if (refusal !== undefined) return reject(refusal);
    const options = { method, headers, redirect: "manual", signal: controller.signal } as const;
    // An async function, for a `fetch` that throws where it should reject.
    const ask = async (): Promise<Response> => fetch(url.href, body === undefined ? options : { ...options, body });
    ask().then(
      (response) => resolve(createReply(response, state)),
      (error: unknown) => reject(state.toError(error)),
    );
  });
  return {
    reply,
    cancel(reason) {
      state.cancelled ??= reason;
      state.reject(reason);
      controller.abort();
    },
  };
}

// Which address a `fetch` connects to, it does not say.
function refuseFetch(url: URL, guard: HttpGuard): HostsideError | undefined {
  return guard.refuseUrl(url) ?? (addressIn(url) === undefined ? guard.refuseAddress(undefined, url) : undefined);
}

function createReply(response: Response, state: CallState): HttpReply {
  state.isReplied = true;
  return {
    // A browser hides the status of a redirect that it did not follow.
    status: response.type === "opaqueredirect" ? 302 : response.status,
    header: (name) => response.headers.get(name) ?? undefined,
    read: (onChunk) =>
      new Promise((resolve, reject) => {
        state.reject = reject;
        if (state.cancelled !== undefined) return reject(state.cancelled);
        readBody(response, state, onChunk).then(resolve, reject);
      }),
    cancel() {
      // A body that is being read is locked: only the signal ends it, and a `fetch` may be deaf to
      // that.
      state.reject(state.toError(undefined));
      state.abort();
    },
    // A `fetch` does not say what has arrived.
    whole: () => undefined,
  };
}

async function readBody(response: Response, state: CallState, onChunk: (chunk: Uint8Array) => void): Promise<void> {
  if (response.body === null) return;
  const reader = response.body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        throw state.toError(error);
      });
      if (state.cancelled !== undefined) throw state.cancelled;
      if (done) return;
      onChunk(value);
    }
  } catch (error) {
    // Nobody waits for it: the body is given up, and its own failure would say nothing new.
    reader.cancel().catch(ignore);
    throw error;
  }
}

function ignore(): void {}
