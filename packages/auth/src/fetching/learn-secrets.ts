import type { AuthorizationFetch } from "@hostside/core";
import { learnOAuthAnswer, learnOAuthRequest, type SecretMemory } from "@hostside/core/implement";

// A Response of these statuses may have no body.
const bodiless: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * A `fetch` that remembers every secret that it sends, and that an answer brings, so that none is
 * in a text afterwards.
 */
export function learnSecrets(fetch: AuthorizationFetch, secrets: SecretMemory): AuthorizationFetch {
  return async (url, init = {}) => {
    const { headers: sent, body } = init;
    const form = typeof body === "string" || body instanceof URLSearchParams ? body : undefined;
    learnOAuthRequest({ headers: new Headers(sent), form }, secrets);
    const response = await fetch(url, init);
    const { status, headers } = response;
    const text = await response.text();
    learnOAuthAnswer(text, secrets);
    return new Response(bodiless.has(status) ? null : text, { status, headers });
  };
}
