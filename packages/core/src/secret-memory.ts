import { redacted, isSecretName, type Redactor } from "./secret-name.ts";
import { findTraits, shortestSecret, traitsOf, type Trait } from "./find-secrets.ts";
import type { ServerSpec } from "./server-spec.ts";
import { secretsOf } from "./spec-secrets.ts";
import { isJsonObject } from "./json.ts";

/**
 * Masks the secrets of one connection: those of its spec, and those that it learns. One per
 * connection, shared by all its parts.
 */
export interface SecretMemory {
  /** Masks every secret that is known by now, as {@linkcode createRedactor} says. */
  readonly redact: Redactor;
  /**
   * Has a secret masked from now on that no spec names: a token, a code, a key. The last 64 are
   * kept, because a server may echo one that was replaced since. Shorter ones than six UTF-16 units
   * are not: to mask them would garble every message.
   */
  readonly learn: (secret: string) => void;
}

const mostLearned = 64;

/**
 * A redactor for what one server may echo: its header values, bearer token and configured
 * environment values, arguments that are secrets by their name or by their look, and what is secret
 * in URLs. It knows them raw, escaped as JSON, percent encoding, forms and HTML escape, wholly or
 * in part and several times over, and within Base64. There is one exception: a secret that itself
 * looks escaped (`\\%aaa=au`), and that has fewer than six characters when unescaped. The redactor
 * does not know every mixture of its escapes. Linear in the length of the text.
 */
export function createRedactor(spec: ServerSpec): Redactor {
  return createSecretMemory(spec).redact;
}

/** Makes a memory that begins with the secrets of a spec. */
export function createSecretMemory(spec?: ServerSpec): SecretMemory {
  const configured = spec === undefined ? [] : secretsOf(spec).flatMap((secret) => traitsOf(secret, 1));
  // In the order in which they were learned.
  const learned = new Map<string, readonly Trait[]>();
  let traits = configured;
  return {
    redact: (text) => (traits.length === 0 ? text : mask(text, traits)),
    learn(secret) {
      if (secret.length < shortestSecret || learned.has(secret)) return;
      learned.set(secret, traitsOf(secret, 1));
      for (const oldest of learned.keys()) {
        if (learned.size <= mostLearned) break;
        learned.delete(oldest);
      }
      traits = [...configured, ...Array.from(learned.values()).flat()];
    },
  };
}

function mask(text: string, traits: readonly Trait[]): string {
  const owners = findTraits(text, traits);
  return owners === undefined ? text : replace(text, owners);
}

function replace(text: string, owners: Uint32Array): string {
  const parts: string[] = [];
  for (let at = 0; at < text.length;) {
    const isMasked = owners[at] === 1;
    const end = owners.indexOf(isMasked ? 0 : 1, at);
    const next = end === -1 ? text.length : end;
    parts.push(isMasked ? redacted : text.slice(at, next));
    at = next;
  }
  return parts.join("");
}

// Parameters that are secrets by no part of their name.
const secretParameters: ReadonlySet<string> = new Set(["code", "code_verifier", "device_code", "saml_response"]);

/** The parts of a request to an authorization server that hold secrets. */
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
