import type { AuthorizationFetch } from "@toolport/core";
import { isJsonObject, isSecretName, type SecretMemory } from "@toolport/core/implement";

// Parameters that are secrets by no part of their name.
const secretParameters: ReadonlySet<string> = new Set(["code", "code_verifier", "device_code", "saml_response"]);
// A Response of these statuses may have no body.
const bodiless: ReadonlySet<number> = new Set([204, 205, 304]);

/** A `fetch` that remembers every secret that it sends, and that an answer brings, so that none is in a text afterwards. */
export function learnSecrets(fetch: AuthorizationFetch, secrets: SecretMemory): AuthorizationFetch {
  return async (url, init = {}) => {
    learnFromRequest(init, secrets);
    const response = await fetch(url, init);
    const { status, headers } = response;
    const text = await response.text();
    learnFromJson(text, secrets);
    return new Response(bodiless.has(status) ? null : text, { status, headers });
  };
}

function learnFromRequest({ headers, body }: RequestInit, { learn }: SecretMemory): void {
  for (const [name, value] of new Headers(headers)) {
    if (!isSecretName(name) && name !== "dpop") continue;
    learn(value);
    learn(value.replace(/^\S+\s+/, ""));
  }
  if (body == null || (typeof body !== "string" && !(body instanceof URLSearchParams))) return;
  for (const [name, value] of new URLSearchParams(body)) {
    if (isSecretName(name) || secretParameters.has(name)) learn(value);
  }
}

function learnFromJson(text: string, { learn }: SecretMemory): void {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return;
  }
  if (!isJsonObject(body)) return;
  for (const [name, value] of Object.entries(body)) {
    if (typeof value === "string" && isSecretName(name)) learn(value);
  }
}
