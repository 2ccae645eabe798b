import type { CredentialHeaders, HostsideError, HttpEntry, ServerSpec } from "@hostside/core";
import { bearerTokenOf, clock, isConfidentialUrl, isCredentialHeader, type Redactor } from "@hostside/core/implement";
import type { ServerContext } from "../../context/server-context.ts";
import { fromHttpStatus, type SessionUse } from "./from-http-status.ts";
import type { HttpCall, HttpClient, HttpReply, HttpRequest } from "./http-exchange.ts";
import type { CompleteReply } from "./read-body.ts";
import { type Carried, guardCredentials, toRequestHeaders } from "./request-headers.ts";
import { type Authorizer, type RecoveryMode, sendAgainOnceAuthorized } from "./authorized-call.ts";

/** One request to a server, without what all of them have in common. */
export interface EndpointRequest extends Omit<HttpRequest, "url"> {
  /** Default: the server's own URL. */
  readonly url?: URL;
  /** How a refusal may be answered. Default `"any"`, for which a user may be asked. */
  readonly recovery?: RecoveryMode;
  /** The message in it, from which the host may want headers made. Default: no message. */
  readonly about?: Carried | undefined;
}

/** A server behind a URL: sends requests with its configured headers and credentials. */
export interface HttpEndpoint {
  readonly serverId: string;
  readonly url: URL;
  /** Masks the configured secrets, and the credentials that were sent. */
  readonly redact: Redactor;
  /**
   * One request. It is sent again only after a refusal (HTTP 401 or 403) that other credentials may
   * cure. Throws `invalid_spec`, at once, when a credential would travel unencrypted.
   */
  call(request: EndpointRequest): HttpCall;
  /**
   * Makes the error of a reply that is no success. `session`: how the request said which one it
   * belongs to; default `"none"`.
   */
  toError(reply: CompleteReply, session?: SessionUse): HostsideError;
  /** Closes every connection. */
  close(): void;
}

/** The parts of {@linkcode HttpEndpoint}. */
export interface HttpEndpointInit {
  /** A spec that `checkHttpSpec` accepts. */
  readonly spec: HttpEntry & Pick<ServerSpec, "id">;
  readonly exchange: HttpClient;
  readonly authorizer?: Authorizer | undefined;
  /** The host's own headers of a request; absent when it has none. */
  readonly hostHeaders?: ((carried: Carried) => Readonly<Record<string, string>>) | undefined;
  /** Its memory of secrets learns all credentials before they are sent. */
  readonly context: ServerContext;
}

/** Makes an endpoint. Nothing is sent yet. */
export function createHttpEndpoint({
  spec,
  exchange,
  authorizer,
  hostHeaders,
  context,
}: HttpEndpointInit): HttpEndpoint {
  const { serverId, redact } = context;
  const url = new URL(spec.url);
  const isConfidential = isConfidentialUrl(url);
  const configured = configuredHeaders(spec);
  const withConfigured = createJoinedHeaders(configured);
  /** True if the latest request was sent with credentials of the authorizer. */
  let isAuthorized = false;
  /** The host's own headers of the latest request. */
  let added: Readonly<Record<string, string>> = {};
  const hasCredentials = (): boolean =>
    isAuthorized || [...Object.keys(configured), ...Object.keys(added)].some(isCredentialHeader);
  const toError = (reply: CompleteReply, session: SessionUse = "none"): HostsideError =>
    fromHttpStatus(reply, { serverId, url, redact, session, hadCredentials: hasCredentials(), now: clock.date() });

  const startOne = (request: HttpRequest): HttpCall => exchange.start(request);
  const start = ({ method, headers, body, about, url: target = url }: EndpointRequest): HttpCall => {
    if (hostHeaders !== undefined) added = hostHeaders(about ?? {});
    const all = hostHeaders === undefined ? withConfigured(headers) : { ...configured, ...added, ...headers };
    const request = { method, url: target, body, headers: all };
    if (target !== url || !isConfidential) guardCredentials(request, serverId);
    return followRedirects(startOne, request);
  };
  const startAuthorized = (request: EndpointRequest, credentials: CredentialHeaders): HttpCall => {
    const own = toRequestHeaders(credentials, context);
    isAuthorized = Object.keys(own).length > 0;
    return start(isAuthorized ? { ...request, headers: { ...request.headers, ...own } } : request);
  };
  return {
    serverId,
    url,
    redact,
    call: (request) =>
      authorizer === undefined
        ? start(request)
        : sendAgainOnceAuthorized({
            authorizer,
            request: { method: request.method, url: request.url ?? url },
            toError,
            start: (credentials) => startAuthorized(request, credentials),
            recovery: request.recovery ?? "any",
          }),
    toError,
    close: () => exchange.close(),
  };
}

/**
 * Adds headers to those of every request. For the same object as the time before, the same one
 * comes out, with which nothing has to be done again.
 */
function createJoinedHeaders(
  common: Readonly<Record<string, string>>,
): (headers: Readonly<Record<string, string>>) => Readonly<Record<string, string>> {
  let latest: Readonly<Record<string, string>> | undefined;
  let joined = common;
  return (headers) => {
    if (headers !== latest) joined = { ...common, ...headers };
    latest = headers;
    return joined;
  };
}

function configuredHeaders(spec: HttpEntry): Readonly<Record<string, string>> {
  const token = bearerTokenOf(spec);
  const given = Object.entries(spec.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value] as const);
  return {
    // Some gateways refuse clients without a name.
    "user-agent": "hostside",
    ...Object.fromEntries(given),
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
}

const mostHops = 5;

/**
 * Sends a request, and sends it on as it is, body and credentials with it, where a 307 or 308 leads
 * within its own origin, as a mount at `/mcp/` answers `/mcp`. Any other redirect is the reply.
 */
function followRedirects(start: (request: HttpRequest) => HttpCall, request: HttpRequest): HttpCall {
  let current = start(request);
  let cancelled: HostsideError | undefined;
  const follow = async (reply: HttpReply, from: HttpRequest, hops: number): Promise<HttpReply> => {
    const url = nextOf(reply, from.url);
    if (url === undefined || hops === mostHops) return reply;
    reply.cancel();
    if (cancelled !== undefined) throw cancelled;
    const next = { ...from, url };
    current = start(next);
    return follow(await current.reply, next, hops + 1);
  };
  return {
    reply: current.reply.then((reply) => (isMoved(reply) ? follow(reply, request, 0) : reply)),
    cancel(reason) {
      cancelled ??= reason;
      current.cancel(reason);
    },
  };
}

function isMoved({ status }: HttpReply): boolean {
  return status === 307 || status === 308;
}

function nextOf(reply: HttpReply, from: URL): URL | undefined {
  const location = reply.header("location");
  if (!isMoved(reply) || location === undefined || !URL.canParse(location, from.href)) return undefined;
  const url = new URL(location, from);
  return url.origin === from.origin && url.username + url.password === "" ? url : undefined;
}
