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
 * Has what an authorization server answered masked from now on, as far as its names are those of
 * secrets: in JSON, also what is cut off or within other text, and in a form.
 */
export function learnOAuthAnswer(text: string, { learn }: SecretMemory): void {
  for (const [name, value] of Object.entries(readOAuthAnswer(text) ?? {})) {
    if (typeof value === "string" && isSecretName(name)) learn(value);
  }
  for (const [, name = "", value = ""] of text.matchAll(/([\w-]{1,64})\\?"?\s*[:=]\s*\\?"?([^\s"\\&<>]{8,})/g)) {
    if (isSecretName(name)) learn(value);
  }
}

// Names and values of a form, which no page and no sentence is.
const form = /^[\w.%-]+=[^\s"<>{}&]*(?:&[\w.%-]+=[^\s"<>{}&]*)*$/;

/**
 * The members of what a token endpoint answered: a JSON object, or a form, which some servers send;
 * `undefined` for anything else.
 */
export function readOAuthAnswer(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    const trimmed = text.trim();
    return form.test(trimmed) ? Object.fromEntries(new URLSearchParams(trimmed)) : undefined;
  }
}
