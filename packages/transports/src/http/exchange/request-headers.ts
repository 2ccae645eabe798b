import {
  type CallContext,
  cleanText,
  type CredentialHeaders,
  HostsideError,
  type HostsideErrorCode,
  type HttpEntry,
  type JsonObject,
  type ServerSpec,
} from "@hostside/core";
import {
  isConfidentialUrl,
  isCredentialHeader,
  isHeaderName,
  isHeaderValue,
  isJsonObject,
  isReservedHeader,
  safeCause,
} from "@hostside/core/implement";
import type { ServerContext } from "../../context/server-context.ts";
import type { HttpRequest } from "./http-exchange.ts";

/** An HTTP request to a server, as far as a host's own headers may depend on it. */
export interface HeaderRequest {
  /**
   * The method of the MCP message in it; absent where there is none, as when a stream is opened or
   * a session ended.
   */
  readonly method?: string | undefined;
  /** The remote name of the tool that is called. */
  readonly toolName?: string | undefined;
  /** For whom the connection is. */
  readonly principal?: string | undefined;
  /** As the call or request had it. */
  readonly context?: CallContext | undefined;
}

/** The message in an HTTP request. */
export interface Carried {
  readonly message?: JsonObject | undefined;
  readonly callContext?: CallContext | undefined;
}

/** The headers that a host adds to one request. */
export type HeadersFor = (spec: ServerSpec, request: HeaderRequest) => Readonly<Record<string, string>> | undefined;

/** The input of {@linkcode createHostHeaders}. */
export interface HostHeadersInit {
  readonly spec: HttpEntry & Pick<ServerSpec, "id">;
  readonly headersFor: HeadersFor;
  readonly context: ServerContext;
}

const longestExcerpt = 100;

/**
 * Asks the host for its headers of one request, and checks them: names and values must be legal,
 * and none may be one that the transport sets or that the connection has its credentials in. Values
 * of credentials are masked from then on wherever they are echoed. The function that this returns
 * throws `internal_error`, outcome `not-sent`, which names the header and not its value.
 */
export function createHostHeaders({
  spec,
  headersFor,
  context,
}: HostHeadersInit): (carried: Carried) => Readonly<Record<string, string>> {
  const { serverId, secrets, principal, redact } = context;
  const ownsAuthorization = spec.auth !== undefined || spec.bearerToken !== undefined;
  const refuse = (what: string, cause?: unknown): HostsideError =>
    new HostsideError(`headersFor() of server ${JSON.stringify(serverId)} ${what}; nothing was sent`, {
      code: "internal_error",
      serverId,
      outcome: "not-sent",
      ...(cause !== undefined && { cause: safeCause(cause, redact) }),
    });
  const check = (name: string, value: unknown): string => {
    const shown = `gave ${quote(name)}`;
    const lower = checkName(name, (fault) => refuse(`${shown}, which ${fault}`));
    if (lower === "authorization" && ownsAuthorization)
      throw refuse(`${shown}, in which the connection has credentials of its own`);
    if (typeof value !== "string" || !isHeaderValue(value)) throw refuse(`${shown} a value that no header can carry`);
    if (isCredentialHeader(lower)) learnValue(value, secrets.learn);
    return lower;
  };
  return (carried) => {
    let given: unknown;
    try {
      given = headersFor(spec, toHeaderRequest(carried, principal));
    } catch (cause) {
      throw refuse("threw", cause);
    }
    if (given === undefined || given === null) return {};
    // That it is a promise is what is reported.
    if (given instanceof Promise) given.catch(() => undefined);
    if (typeof given !== "object" || given instanceof Promise)
      throw refuse("answered something that is no object of headers");
    return Object.fromEntries(Object.entries(given).map(([name, value]) => [check(name, value), value]));
  };
}

function toHeaderRequest({ message, callContext }: Carried, principal: string | undefined): HeaderRequest {
  const method = message?.["method"];
  const params = message?.["params"];
  const toolName = method === "tools/call" && isJsonObject(params) ? params["name"] : undefined;
  return {
    ...(typeof method === "string" && { method }),
    ...(typeof toolName === "string" && { toolName }),
    ...(principal !== undefined && { principal }),
    ...(callContext !== undefined && { context: callContext }),
  };
}

/**
 * Credentials as a request carries them, by lower-case names; `undefined` for none. Their values
 * are masked from now on wherever they are echoed. Throws, outcome `not-sent`, naming the header
 * and not its value: `auth_required` for a value that no header can carry, `internal_error` for
 * what whoever gave them got wrong.
 */
export function toRequestHeaders(
  credentials: CredentialHeaders,
  { serverId, secrets }: Pick<ServerContext, "secrets" | "serverId">,
): Record<string, string> | undefined {
  const refuse = (what: string, code: HostsideErrorCode = "internal_error"): HostsideError =>
    new HostsideError(`the credentials for server ${JSON.stringify(serverId)} ${what}; nothing was sent`, {
      code,
      serverId,
      outcome: "not-sent",
    });
  if (typeof credentials !== "object" || credentials === null) throw refuse("are no object of headers");
  let headers: Record<string, string> | undefined;
  for (const name of Object.keys(credentials)) {
    const value = credentials[name];
    const lower = checkName(name, (fault) => refuse(`include ${quote(name)}, which ${fault}`));
    if (typeof value !== "string") throw refuse(`give ${quote(name)} a value that is no text`);
    // A proof of DPoP lets nobody in without its token, and one for each request would push out
    // what has to be masked.
    if (lower !== "dpop") learnValue(value, secrets.learn);
    if (!isHeaderValue(value)) throw refuse(`give ${quote(name)} a value that no header can carry`, "auth_required");
    (headers ??= {})[lower] = value;
  }
  return headers;
}

function checkName(name: string, refuse: (fault: string) => HostsideError): string {
  const lower = name.toLowerCase();
  if (!isHeaderName(name)) throw refuse("is no name of a header");
  if (isReservedHeader(lower)) throw refuse("the transport sets");
  return lower;
}

// "Bearer abc" is echoed as a whole or as "abc" alone.
function learnValue(value: string, learn: (secret: string) => void): void {
  learn(value);
  const space = value.indexOf(" ");
  if (space !== -1) learn(value.slice(space + 1).trim());
}

function quote(name: string): string {
  return JSON.stringify(cleanText(name, longestExcerpt));
}

/**
 * The last check before a request leaves: whatever put them there, headers that carry credentials
 * only go where nobody else listens. Throws `invalid_spec`, naming the header.
 */
export function guardCredentials({ url, headers }: Pick<HttpRequest, "headers" | "url">, serverId: string): void {
  if (isConfidentialUrl(url)) return;
  const exposed = Object.keys(headers).find(isCredentialHeader);
  if (exposed === undefined) return;
  throw new HostsideError(`header ${exposed} would travel unencrypted to ${url.origin}; use https:`, {
    code: "invalid_spec",
    serverId,
    details: { field: `headers.${exposed}` },
  });
}

/**
 * A text as a header value: as it is when every recipient reads it the same way, or else as
 * `=?base64?…?=` of its UTF-8 bytes (2026-07-28, "Value Encoding"). A text that looks like the
 * latter is encoded too.
 */
export function encodeHeaderValue(text: string): string {
  const plain = text !== "" && isHeaderValue(text) && text === text.trim();
  if (plain && !(text.startsWith("=?base64?") && text.endsWith("?="))) return text;
  let bytes = "";
  for (const byte of new TextEncoder().encode(text)) bytes += String.fromCharCode(byte);
  return `=?base64?${btoa(bytes)}?=`;
}

const versionKey = "io.modelcontextprotocol/protocolVersion";

// Which parameter names the thing that a request is about (2026-07-28, "Standard Request Headers";
// the tasks extension).
const nameParameters: ReadonlyMap<string, string> = new Map([
  ["tools/call", "name"],
  ["prompts/get", "name"],
  ["resources/read", "uri"],
  ["tasks/get", "taskId"],
  ["tasks/update", "taskId"],
  ["tasks/cancel", "taskId"],
]);

/**
 * The headers that repeat what a message of 2026-07-28 says of itself: its revision, its method,
 * and the name of what it is about. `undefined` for other messages.
 */
export function protocolHeaders(message: JsonObject): Readonly<Record<string, string>> | undefined {
  const version = envelopeVersionOf(message);
  const { method, params } = message;
  if (version === undefined || typeof method !== "string") return undefined;
  const headers: Record<string, string> = { "mcp-protocol-version": version, "mcp-method": method };
  const parameter = nameParameters.get(method);
  const name = parameter !== undefined && isJsonObject(params) ? params[parameter] : undefined;
  if (typeof name === "string") headers["mcp-name"] = encodeHeaderValue(name);
  return headers;
}

/**
 * The revision in a message's `_meta`; `undefined` for messages of earlier revisions than
 * 2026-07-28, which have none.
 */
export function envelopeVersionOf({ method, params }: JsonObject): string | undefined {
  if (typeof method !== "string" || !isJsonObject(params)) return undefined;
  const meta = params["_meta"];
  const version = isJsonObject(meta) ? meta[versionKey] : undefined;
  return typeof version === "string" && isHeaderValue(version) ? version : undefined;
}
