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

const longestExcerpt = 100;

/**
 * Asks the host for its headers of one request, and checks them as {@linkcode checkHeaders} does;
 * none may be one that the connection has its credentials in. The function that this returns throws
 * `internal_error`, outcome `not-sent`.
 */
export function createHostHeaders(
  spec: HttpEntry & Pick<ServerSpec, "id">,
  headersFor: HeadersFor,
  context: ServerContext,
): (carried: Carried) => Readonly<Record<string, string>> {
  const owner = "headersFor()";
  const ownsAuthorization = spec.auth !== undefined || spec.bearerToken !== undefined;
  return (carried) => {
    let given: unknown;
    try {
      given = headersFor(spec, toHeaderRequest(carried, context.principal));
    } catch (cause) {
      throw refusal(owner, context, { what: "threw", cause: safeCause(cause, context.redact) });
    }
    // That it is a promise is what is reported.
    if (given instanceof Promise) given.catch(() => undefined);
    const headers = checkHeaders(given ?? {}, { owner, context, isSecret: isCredentialHeader });
    if (ownsAuthorization && headers["authorization"] !== undefined)
      throw refusal(owner, context, {
        what: 'gave "authorization", in which the connection has credentials of its own',
      });
    return headers;
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
 * Credentials as a request carries them, by lower-case names, checked as {@linkcode checkHeaders}
 * does. A value that no header can carry is `auth_required`.
 */
export function toRequestHeaders(
  credentials: CredentialHeaders,
  context: Pick<ServerContext, "secrets" | "serverId">,
): Readonly<Record<string, string>> {
  // A proof of DPoP lets nobody in without its token, and one for each request would push out what
  // has to be masked.
  const isSecret = (name: string): boolean => name !== "dpop";
  return checkHeaders(credentials, { owner: "credentials", context, isSecret, illegalValue: "auth_required" });
}

interface HeaderRules {
  /** The source of the headers. */
  readonly owner: string;
  readonly context: Pick<ServerContext, "secrets" | "serverId">;
  readonly isSecret: (name: string) => boolean;
  /** The code for a value that no header can carry. Default `internal_error`. */
  readonly illegalValue?: HostsideErrorCode;
}

/**
 * Checks headers that a product gave: names and values must be legal, and none may be one that the
 * transport sets. Secret values are masked from then on wherever they are echoed. Throws, outcome
 * `not-sent`, naming the header and not its value.
 */
function checkHeaders(given: unknown, { owner, context, isSecret, illegalValue }: HeaderRules): Record<string, string> {
  const refuse = (what: string, code?: HostsideErrorCode): HostsideError => refusal(owner, context, { what, code });
  if (!isJsonObject(given) || given instanceof Promise) throw refuse("answered something that is no object of headers");
  const headers: Record<string, string> = {};
  for (const name of Object.keys(given)) {
    const value = given[name];
    const lower = name.toLowerCase();
    const shown = `gave ${JSON.stringify(cleanText(name, longestExcerpt))}`;
    if (!isHeaderName(name)) throw refuse(`${shown}, which is no name of a header`);
    if (isReservedHeader(lower)) throw refuse(`${shown}, which the transport sets`);
    if (typeof value !== "string") throw refuse(`${shown} a value that no header can carry: it is no text`);
    if (isSecret(lower)) learnValue(value, context.secrets.learn);
    if (!isHeaderValue(value)) throw refuse(`${shown} a value that no header can carry`, illegalValue);
    headers[lower] = value;
  }
  return headers;
}

function refusal(
  owner: string,
  { serverId }: Pick<ServerContext, "serverId">,
  { what, code = "internal_error", cause }: { what: string; code?: HostsideErrorCode | undefined; cause?: unknown },
): HostsideError {
  const message = `${owner} of server ${JSON.stringify(serverId)} ${what}; nothing was sent`;
  return new HostsideError(message, { code, serverId, outcome: "not-sent", cause });
}

// "Bearer abc" is echoed as a whole or as "abc" alone.
function learnValue(value: string, learn: (secret: string) => void): void {
  learn(value);
  const space = value.indexOf(" ");
  if (space !== -1) learn(value.slice(space + 1).trim());
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
