import { isJsonObject } from "./json.ts";
import type { SecretMemory } from "./secret-memory.ts";
import { isSecretName } from "./secret-name.ts";

// Parameters that are secrets by no part of their name.
const secretParameters: ReadonlySet<string> = new Set(["code", "code_verifier", "device_code", "saml_response"]);

/** What a request to an authorization server carries, as far as secrets are in it. */
export interface OAuthRequestParts {
  /** Pairs of a name and a value. */
  readonly headers: Iterable<readonly [string, string]>;
  /** A form; absent for none. */
  readonly form?: URLSearchParams | string | undefined;
}

/**
 * Has the credentials of a request to an authorization server masked from now on: in its headers,
 * and in its form.
 */
export function learnOAuthRequest({ headers, form = "" }: OAuthRequestParts, { learn }: SecretMemory): void {
  for (const [name, value] of headers) {
    if (!isSecretName(name) && name !== "dpop") continue;
    learn(value);
    learn(value.replace(/^\S+\s+/, ""));
  }
  for (const [name, value] of new URLSearchParams(form)) {
    if (isSecretName(name) || secretParameters.has(name)) learn(value);
  }
}

/**
 * Has what an authorization server answered masked from now on, as far as it is JSON and its names
 * are those of secrets.
 */
export function learnOAuthAnswer(text: string, { learn }: SecretMemory): void {
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
