import {
  redacted,
  isSecretName,
  type Redactor,
  findTraits,
  shortestSecret,
  traitsOf,
  type Trait,
} from "./find-secrets.ts";
import type { ServerSpec } from "./server-spec.ts";
import { secretsOf, maskPath, secretOfArgument } from "./spec-secrets.ts";
import { isJsonObject } from "./json.ts";
import { isHostsideError } from "./hostside-error.ts";
import { cleanText } from "./text.ts";

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

/**
 * Has the credentials of a request to an authorization server masked from now on: in its headers,
 * and in its form.
 */
export function learnOAuthRequest(
  request: {
    readonly headers: Iterable<readonly [string, string]>;
    readonly form?: URLSearchParams | string | undefined;
  },
  { learn }: SecretMemory,
): void {
  const { headers, form = "" } = request;
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

/**
 * A copy of a spec that is safe to log: values of headers, environment and tokens are replaced, and
 * so are what is secret in URLs and arguments that are secrets by their name (`--api-key …`,
 * `TOKEN=…`) or by their look, because API keys travel there; names stay.
 *
 * @example
 * console.log(JSON.stringify(redactSpec(spec))); // no credentials
 */
export function redactSpec(spec: ServerSpec): ServerSpec {
  if (spec.command !== undefined) {
    return {
      ...spec,
      ...(spec.args && { args: maskArguments(spec.args, createRedactor(spec)) }),
      ...(spec.env && { env: maskValues(spec.env) }),
    };
  }
  if (spec.url === undefined) return spec;
  return {
    ...spec,
    url: redactUrl(spec.url),
    ...(spec.headers && { headers: maskValues(spec.headers) }),
    ...(spec.bearerToken !== undefined && { bearerToken: redacted }),
    ...(spec.tls?.key !== undefined && { tls: { ...spec.tls, key: redacted } }),
  };
}

/**
 * A URL that is safe to log: no user info, no query values, no fragment, and of the path only
 * segments that people read, made of words, small numbers and versions:
 * `https://example.com/mcp/v1/***`. Text that is no URL comes back as `[redacted]`.
 *
 * @example
 * redactUrl("https://ada:secret@example.com/mcp"); // without the password
 */
export function redactUrl(url: string): string {
  if (!URL.canParse(url)) return redacted;
  const parsed = new URL(url);
  const user = parsed.username || parsed.password ? "***@" : "";
  const query = [...parsed.searchParams.keys()].map((key) => `${encodeURIComponent(key)}=***`).join("&");
  return `${parsed.protocol}//${user}${parsed.host}${maskPath(parsed.pathname, "***")}${query && `?${query}`}`;
}

function maskArguments(args: readonly string[], redact: Redactor): readonly string[] {
  return args.map((argument, index) => {
    const secret = secretOfArgument(argument, args[index - 1]);
    if (secret !== undefined) return `${argument.slice(0, argument.length - secret.length)}${redacted}`;
    return argument.includes("://") && URL.canParse(argument) ? redactUrl(argument) : redact(argument);
  });
}

function maskValues(record: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.keys(record).map((key) => [key, redacted]));
}

/**
 * A copy of JSON data with the secrets masked in each of its texts, names of members and numbers
 * included; the same object when there were none.
 */
export function redactData(data: unknown, redact: Redactor): unknown {
  if (typeof data === "string") return redact(data);
  if (typeof data === "number") return redact(String(data)) === String(data) ? data : redacted;
  if (Array.isArray(data)) {
    const items = data.map((item) => redactData(item, redact));
    return items.every((item, index) => item === data[index]) ? data : items;
  }
  if (!isJsonObject(data)) return data;
  const entries = Object.entries(data).map(([name, member]) => [redact(name), redactData(member, redact)] as const);
  const isSame = Object.entries(data).every(
    ([name, member], index) => entries[index]?.[0] === name && entries[index]?.[1] === member,
  );
  return isSame ? data : Object.fromEntries(entries);
}

const longestMessage = 1000;
// A chain of causes is short; the bound is against one that loops.
const longestChain = 8;

/**
 * A foreign error as a cause that may be shown in any way: name, message, stack and code, without
 * secrets, and its own causes likewise. Nothing else of it is copied: Node puts all arguments of a
 * command on the error of a failed start. Anything but an error is left out.
 */
export function safeCause(error: unknown, redact: Redactor, depth: number = longestChain): Error | undefined {
  if (!(error instanceof Error) || isHostsideError(error)) return error instanceof Error ? error : undefined;
  const inner = depth > 1 ? safeCause(error.cause, redact, depth - 1) : undefined;
  const message = redact(cleanText(error.message, longestMessage));
  const copy = new Error(message, inner === undefined ? undefined : { cause: inner });
  const name = redact(cleanText(error.name, 80));
  const frames = String(error.stack)
    .split("\n")
    .filter((line) => /^ {4}at /.test(line));
  const hidden = { writable: true, configurable: true, enumerable: false };
  Object.defineProperty(copy, "name", { ...hidden, value: name });
  Object.defineProperty(copy, "stack", { ...hidden, value: redact([`${name}: ${message}`, ...frames].join("\n")) });
  if ("code" in error && (typeof error.code === "string" || typeof error.code === "number")) {
    const { code } = error;
    Object.assign(copy, { code: typeof code === "string" ? redact(cleanText(code, 80)) : code });
  }
  return copy;
}
