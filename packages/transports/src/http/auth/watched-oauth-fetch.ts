import { isJsonObject } from "@hostside/core/implement";

/** A `fetch` for OAuth. */
export type OAuthFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** What an endpoint of an authorization server refused with, or that it was not to be reached. */
export interface EndpointFailure {
  /** `undefined` when there was no answer. */
  readonly status: number | undefined;
  /** The code of the OAuth error; `""` when there is none. */
  readonly error: string;
  /** What it said, untrusted. */
  readonly text: string;
  /** Why there was no answer. */
  readonly cause: unknown;
  /** The refresh token that was to be redeemed. */
  readonly refreshToken: string | undefined;
}

/** A `fetch` that keeps how the latest POST failed. */
export interface WatchedFetch {
  readonly fetchFn: OAuthFetch;
  readonly failure: () => EndpointFailure | undefined;
}

// No code of any specification, so that the SDK does nothing about it but stop.
const stopped = "stopped_by_the_host";

/**
 * Keeps from the SDK why a POST failed. On its own it would print what the server said to the
 * console, forget credentials and begin a new authorization, also when the authorization server is
 * merely out of order. What is to be done is for the host to say.
 */
export function watchOAuthFetch(fetchFn: OAuthFetch): WatchedFetch {
  let failure: EndpointFailure | undefined;
  const stop = (reason: Omit<EndpointFailure, "refreshToken">, init: RequestInit): Response => {
    const refreshToken = init.body instanceof URLSearchParams ? init.body.get("refresh_token") : null;
    failure = { ...reason, refreshToken: refreshToken ?? undefined };
    return Response.json({ error: stopped }, { status: 400 });
  };
  return {
    failure: () => failure,
    async fetchFn(url, init = {}) {
      if (init.method !== "POST") return fetchFn(url, init);
      let response: Response;
      try {
        response = await fetchFn(url, init);
      } catch (cause) {
        return stop({ status: undefined, error: "", text: "", cause }, init);
      }
      const text = await response.text();
      const body = parse(text);
      const error = typeof body?.["error"] === "string" ? body["error"] : "";
      const { status, headers } = response;
      // The SDK answers it with another proof.
      const isNonceChallenge = status === 400 && error === "use_dpop_nonce" && headers.has("dpop-nonce");
      const isToken = init.body instanceof URLSearchParams;
      const isUsable = response.ok && body !== undefined && (!isToken || typeof body["access_token"] === "string");
      if (isUsable || isNonceChallenge) return new Response(text, { status, headers });
      const description = typeof body?.["error_description"] === "string" ? body["error_description"] : text;
      return stop({ status, error, text: description, cause: undefined }, init);
    },
  };
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
