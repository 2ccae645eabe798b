import {
  redactUrl,
  HostsideError,
  type ErrorDetails,
  type HostsideErrorCode,
  type HostsideErrorInit,
} from "@hostside/core";
import { isJsonObject, parseRetryAfter, type Redactor } from "@hostside/core/implement";
import { saysSessionIsForgotten, supportedVersions, type RpcError } from "../../message/from-rpc-error.ts";
import { bodyExcerptOf, parseJson } from "../../text/safe-excerpt.ts";
import type { CompleteReply } from "./read-body.ts";

// Room for a URL of metadata and a list of scopes.
const longestChallenge = 2048;

/**
 * How a request says which session it belongs to: by the `id` in its header, by the `url` it goes
 * to, by nothing but the `handshake` before it, or not at all (`none`), because there is no session
 * or not yet.
 */
export type SessionUse = "handshake" | "id" | "none" | "url";

/** The request that was refused. */
export interface RefusedRequest {
  readonly serverId: string;
  readonly url: URL;
  /** Masks what the server may echo. */
  readonly redact: Redactor;
  readonly session: SessionUse;
  /** True if it carried credentials that this host knows of. */
  readonly hadCredentials: boolean;
  /** Epoch milliseconds, for a `Retry-After` that is a date. */
  readonly now: number;
}

/** Names what an HTTP status means for the request. */
export function fromHttpStatus(refusal: CompleteReply, request: RefusedRequest): HostsideError {
  const { status, body } = refusal;
  const rpcError = readRpcError(body);
  const details = detailsOf(refusal, rpcError, request);
  const at = `server ${JSON.stringify(request.serverId)}: HTTP ${status} from ${redactUrl(request.url.href)}`;
  const evidence = details.excerpt === undefined ? at : `${at}: ${details.excerpt}`;
  const fail = (code: HostsideErrorCode, message: string, rest: Partial<HostsideErrorInit> = {}): HostsideError =>
    new HostsideError(message, { code, serverId: request.serverId, details, ...rest });

  if (status >= 300 && status < 400) {
    return fail(
      "redirect_refused",
      `${at}: it redirects${redirectTarget(refusal, request)}; only a 307 or 308 within one origin is followed`,
    );
  }
  if (status === 401) return fail("auth_required", `${evidence}${hintForCredentials(request)}`);
  if (status === 403) return fail("forbidden", `${evidence}${missingScope(refusal, request)}`);
  if (status === 429) return fail("rate_limited", evidence);
  const forgotten = readForgotten(refusal, rpcError?.message ?? body, request.session);
  if (forgotten !== undefined) return fail("session_expired", evidence, { outcome: forgotten });
  // A client error is a refusal; after a server error, or one of a gateway, the request may have
  // run all the same.
  const refused = status >= 400 && status < 500 && status !== 408;
  return fail("http_error", `${evidence}${hintFor(refusal, request.session)}`, {
    outcome: refused ? "failed" : "unknown",
    retryable: !refused,
  });
}

function detailsOf(refusal: CompleteReply, rpcError: RpcError | undefined, request: RefusedRequest): ErrorDetails {
  const { redact, now } = request;
  const excerpt = bodyExcerptOf(rpcError?.message ?? refusal.body, redact);
  const retryAfterMs = parseRetryAfter(refusal.header("retry-after"), now);
  const challenge = refusal.header("www-authenticate");
  const supported = supportedVersions(rpcError?.data, redact);
  return {
    httpStatus: refusal.status,
    ...(rpcError !== undefined && { rpcCode: rpcError.code }),
    ...(supported !== undefined && { supported }),
    ...(excerpt !== "" && { excerpt }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(challenge !== undefined && { challenge: bodyExcerptOf(challenge, redact, longestChallenge) }),
  };
}

function readRpcError(body: string): RpcError | undefined {
  const parsed = body.startsWith("{") ? parseJson(body) : undefined;
  const error = isJsonObject(parsed) ? parsed["error"] : undefined;
  const { code, message, data } = isJsonObject(error) ? error : {};
  return typeof code === "number" ? { code, message: typeof message === "string" ? message : "", data } : undefined;
}

// Said to a request that did name its session: something in between removed the header, and a new
// session would fare no better.
const headerMissing = /session.{0,40}(?:required|missing)|missing.{0,40}session/i;

// Only 404 to a request that named its session by id is the protocol's own way to say so, and
// proves that the request was not run:
// https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management
// Servers that restarted answer 400 with one sentence or another, which a tool could say as well.
function readForgotten(
  { status }: CompleteReply,
  complaint: string,
  session: SessionUse,
): "failed" | "unknown" | undefined {
  if (session === "none") return undefined;
  const namesSession = session !== "handshake";
  if (status === 404 && namesSession) return session === "id" ? "failed" : "unknown";
  const isReported = status === 400 && saysSessionIsForgotten(complaint, { era: "legacy", hasSession: namesSession });
  return isReported ? "unknown" : undefined;
}

function hintForCredentials({ hadCredentials }: RefusedRequest): string {
  if (hadCredentials) return " (the server refused the credentials it was sent)";
  return " (no credentials were sent: set bearerToken, a header, or auth)";
}

function hintFor({ status, header, body }: CompleteReply, session: SessionUse): string {
  if (status === 400 && session === "id" && headerMissing.test(body)) {
    return " (the request named its session: does a proxy remove the Mcp-Session-Id header?)";
  }
  if (status === 404) return " (is the path of the URL right?)";
  if (status === 405 || status === 415) return " (the URL may be that of an old HTTP+SSE server)";
  return header("content-type")?.includes("text/html") ? " (a web page, not an MCP server)" : "";
}

// RFC 6750, 3.1.
function missingScope({ header }: CompleteReply, { redact }: RefusedRequest): string {
  const challenge = header("www-authenticate") ?? "";
  const [, scope] = /\bscope="([^"]{1,500})"/.exec(challenge) ?? [];
  if (scope === undefined || !/\berror="?insufficient_scope\b/.test(challenge)) return "";
  return ` (the token lacks the scope ${JSON.stringify(bodyExcerptOf(scope, redact, 200))})`;
}

function redirectTarget({ header }: CompleteReply, { url, redact }: RefusedRequest): string {
  const location = header("location");
  if (location === undefined || !URL.canParse(location, url.href)) return "";
  return ` to ${bodyExcerptOf(redactUrl(new URL(location, url).href), redact, 200)}`;
}
