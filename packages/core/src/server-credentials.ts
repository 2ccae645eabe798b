import { fromBase64, isSecretName } from "./find-secrets.ts";
import { isCredentialHeader } from "./check-http-spec.ts";
import type { HttpEntry, ServerEntry, ServerSharing, ServerSpec, StdioEntry } from "./server-spec.ts";
import { decoded, isReadable, namedTexts, parseJsonContainer, secretOfArgument, secretOfPair } from "./spec-secrets.ts";

/** For whom credentials are wanted, and what there is to get them with. */
export interface AuthorizationRequest {
  /** As whoever connects said it; absent when they did not. */
  readonly principal?: string | undefined;
  /** Whether a user waits right now who may be shown an authorization page. */
  readonly interactive: boolean;
  /**
   * For requests to an authorization server: over the connector's own HTTP and past its guard,
   * bounded in time and size, over `https:` or on this machine alone, and without redirects. Lives
   * as long as the connector does.
   */
  readonly fetch: AuthorizationFetch;
}

/**
 * A `fetch` for requests that carry credentials, by GET or POST. Fails with a `TypeError`, like
 * any, whose cause may be a `HostsideError`; or with the reason of its `signal`. Says nothing of
 * where an answer redirects to.
 */
export type AuthorizationFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** One HTTP request to a server, as far as credentials may depend on it. */
export interface AuthorizedRequest {
  readonly method: string;
  readonly url: URL;
}

/** The headers that let a request in; none when there are no credentials yet. */
export type CredentialHeaders = Readonly<Record<string, string>>;

/** A server's no to a request, by HTTP status 401 or 403. */
export interface CredentialsRefusal {
  readonly status: 401 | 403;
  /** The `WWW-Authenticate` header; of several their values, in one list. Untrusted. */
  readonly challenge: string | undefined;
  readonly request: AuthorizedRequest;
  /**
   * The headers of the refused request: the very object that
   * {@linkcode ServerCredentials.headersFor} gave.
   */
  readonly sent: CredentialHeaders;
  /** Whether a user waits right now who may be shown an authorization page. */
  readonly interactive: boolean;
  /**
   * Aborts when nobody waits any more. A redeemed token is saved all the same, and a user who
   * was shown a page may still come back.
   */
  readonly signal: AbortSignal;
}

/**
 * Credentials of one server for one principal: what a connector asks before each HTTP request to
 * that server, and after each refusal. Whatever it hands out is masked wherever the server echoes
 * it, but for a proof of DPoP, which lets nobody in by itself.
 */
export interface ServerCredentials {
  /**
   * Right before a request is sent, so it should be quick. Rejects when there are credentials that
   * cannot be had now: nothing is sent then. No header may be one that the transport sets.
   */
  headersFor(request: AuthorizedRequest): Promise<CredentialHeaders>;
  /**
   * Resolves when the same request is worth sending once more, with what {@linkcode headersFor}
   * says then: once after a 401, twice after a 403; and once more after a 401 that wants a nonce in
   * the proof that was sent (RFC 9449, 9). Rejects with `auth_required` when a user has to act, or
   * with what else stands in the way. Several may be refused at the same time. A 403 that ended in
   * `auth_required` while nobody waited is put once more when a user does, before the next request.
   */
  onRefused(refusal: CredentialsRefusal): Promise<void>;
  /**
   * Each answer to a request that carried credentials, for what comes with it, such as a nonce of
   * DPoP (RFC 9449, 8.2). Must not throw.
   */
  onAnswered?(request: AuthorizedRequest, header: (name: string) => string | undefined): void;
  /** Forgets what is held, for a user who signs out; revokes it where that can be done. */
  clear?(): Promise<void>;
}

const scheme = /^(?:basic|bearer|dpop|token)\s/i;
const signature = /^(?:x-amz-)?sig(?:nature)?$/i;
const headerFlag = /^(?:-H|--headers?)$/i;
// The name of no secret, though it ends like one.
const workingFolder = /^(?:old)?pwd$/i;
// Of a segment of a path, or of a cookie: shorter ones are words as well.
const shortestKey = 16;
const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/**
 * The credentials that a spec holds, as they are written and as a server may echo them, for a mask
 * of everything that comes back. Other than for a redactor of one connection, what only stands
 * beside a credential is none: a project in a URL, another member of the same JSON, a variable that
 * is no secret by its name or its look.
 */
export function credentialsOf(entry: ServerEntry): readonly string[] {
  const found = fieldsOf(entry).flatMap(({ text, secrets }) => [...secrets, ...keysIn(text).flatMap(withPlain)]);
  return Array.from(new Set(found));
}

/**
 * The fields of an entry that hold a credential, such as `env["TOKEN"]`; never their values. A key
 * in a path counts in the server's own URL alone: elsewhere it is the id of a document or a tenant.
 */
export function credentialFieldsOf(entry: ServerEntry): readonly string[] {
  const { url } = entry;
  const isKeyed = url !== undefined && pathKeysOf(url).some((key) => !uuid.test(key));
  return fieldsOf(entry).flatMap(({ field, secrets }) =>
    secrets.length > 0 || (field === "url" && isKeyed) ? [field] : [],
  );
}

/**
 * Returns who may share a connection to this server: what its spec says, else all, but those of one
 * principal alone where it has credentials.
 */
export function sharingOf(spec: ServerSpec): ServerSharing {
  return spec.sharing ?? (hasCredentials(spec) ? "principal" : "shared");
}

/**
 * Whether whoever uses the server does so with somebody's credentials, as far as the spec shows.
 */
function hasCredentials(spec: ServerSpec): boolean {
  return (spec.url !== undefined && spec.auth !== undefined) || credentialFieldsOf(spec).length > 0;
}

interface CredentialField {
  readonly field: string;
  /** Its value. */
  readonly text: string;
  /** Without keys in paths of URLs. */
  readonly secrets: readonly string[];
}

function fieldsOf(entry: ServerEntry): readonly CredentialField[] {
  const fields = entry.command !== undefined ? ofProgram(entry) : entry.url !== undefined ? ofHttp(entry) : [];
  return fields.map((one) => ({ ...one, secrets: one.secrets.filter((text) => text.trim() !== "") }));
}

function ofProgram({ command, args = [], env = {} }: StdioEntry): readonly CredentialField[] {
  // The program's own name is none, whatever it looks like.
  const words = command.trim().split(/\s+/).slice(1);
  const ofList = (list: readonly string[], at: number): readonly string[] =>
    ofArgument(list[at] ?? "", list[at - 1] ?? "");
  return [
    { field: "command", text: words.join(" "), secrets: words.flatMap((_, at) => ofList(words, at)) },
    ...Object.entries(env).map(([name, value]) => ({
      field: `env[${JSON.stringify(name)}]`,
      text: value,
      secrets: ofNamed(isSecretName(name) && !workingFolder.test(name), value),
    })),
    ...args.map((text, at) => ({ field: `args[${at}]`, text, secrets: ofList(args, at) })),
  ];
}

function ofHttp({ url, headers = {}, bearerToken = "", tls }: HttpEntry): readonly CredentialField[] {
  const key = tls?.key ?? "";
  return [
    { field: "bearerToken", text: bearerToken, secrets: ofSecret(bearerToken) },
    { field: "tls.key", text: key, secrets: ofSecret(key) },
    ...Object.entries(headers).map(([name, value]) => ({
      field: `headers[${JSON.stringify(name)}]`,
      text: value,
      secrets: ofNamed(isCredentialHeader(name), value),
    })),
    { field: "url", text: url, secrets: ofText(url) },
  ];
}

function ofNamed(isSecret: boolean, value: string): readonly string[] {
  return isSecret ? ofSecret(value) : ofText(value);
}

function ofArgument(argument: string, before: string): readonly string[] {
  const header = headerFlag.test(before) ? argument : /^--headers?=(.*)$/is.exec(argument)?.[1];
  if (header?.includes(":") === true) {
    const at = header.indexOf(":");
    return ofNamed(isCredentialHeader(header.slice(0, at).trim()), header.slice(at + 1).trim());
  }
  const secret = secretOfArgument(argument, before);
  if (secret === undefined) return ofText(argument);
  // By its look alone the name of a project is one, too.
  return secret === argument && isReadable(argument) && !isSecretName(before)
    ? []
    : [...ofSecret(secret), ...ofText(argument)];
}

/**
 * The credentials of a value that is secret as a whole: "Bearer abc" is echoed as "abc" as well, a
 * cookie as one of its values.
 */
function ofSecret(value: string): readonly string[] {
  const whole = value.trim();
  const cookies = whole.includes(";") ? whole.split(";").map((pair) => pair.slice(pair.indexOf("=") + 1).trim()) : [];
  return [value, whole, ...ofScheme(whole), ...cookies.filter(({ length }) => length >= shortestKey), ...ofText(whole)];
}

/** The credentials of a text whose own name tells nothing. */
function ofText(text: string): readonly string[] {
  const whole = text.trim();
  const at = whole.indexOf("=");
  const value = at > 0 && !/\s/.test(whole.slice(0, at)) ? whole.slice(at + 1) : "";
  return [whole, value].flatMap((part) => [
    ...(/\s\S*\s/.test(part) ? [] : ofScheme(part)),
    ...ofUrl(part),
    ...[...part.split(";"), ...part.split(/\s+/)].map(secretOfPair),
    ...ofJson(part),
  ]);
}

function ofScheme(text: string): readonly string[] {
  if (!scheme.test(text)) return [];
  const credentials = text.slice(text.search(/\s/)).trim();
  const pair = /^basic/i.test(text) ? fromBase64(credentials) : undefined;
  return [text, credentials, ...(pair === undefined ? [] : [pair, pair.slice(pair.indexOf(":") + 1)])];
}

function ofUrl(text: string): readonly string[] {
  if (!text.includes("://")) return [];
  // Some databases have several hosts in one.
  if (!URL.canParse(text)) return withPlain(/^[a-z][\w+.-]*:\/\/[^/@\s:]*:([^/@\s]+)@/i.exec(text)?.[1] ?? "");
  const { username, password, search, hash } = new URL(text);
  const parameters = [search, hash]
    .flatMap((part) => part.slice(1).split("&"))
    .map((parameter) => {
      const at = parameter.indexOf("=");
      const name = decoded(parameter.slice(0, Math.max(0, at)));
      return isSecretName(name) || signature.test(name) ? parameter.slice(at + 1) : "";
    });
  return [isReadable(username) ? "" : username, password, ...parameters].flatMap(withPlain);
}

/** The segments of a URL's path that look like keys: some servers are reached by nothing else. */
function pathKeysOf(text: string): readonly string[] {
  if (!text.includes("://") || !URL.canParse(text)) return [];
  const segments = new URL(text).pathname.split("/");
  return segments.filter((part) => part.length >= shortestKey && /\d/.test(part) && !isReadable(part));
}

/** The same of each URL in a text. */
function keysIn(text: string): readonly string[] {
  const words = text.split(/[\s"']+/);
  return words.flatMap((word) => [word, word.slice(word.indexOf("=") + 1)]).flatMap(pathKeysOf);
}

function withPlain(text: string): readonly string[] {
  return [text, decoded(text), decoded(text.replaceAll("+", " "))];
}

function ofJson(text: string): readonly string[] {
  try {
    return namedTexts(parseJsonContainer(text)).flatMap((secret) => [secret, ...ofScheme(secret)]);
  } catch {
    return []; // Nested deeper than anybody writes.
  }
}
