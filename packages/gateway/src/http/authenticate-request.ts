import { resultWithin } from "@hostside/core/implement";
import type { GatewayHttpExchange, HttpHeaders } from "./http-exchange.ts";
import type { HttpSettings, RefusedToken, VerifiedToken } from "./http-options.ts";
import { errorMessage, rpcCodes, type RequestId, type RpcFailure } from "../message/json-rpc.ts";
import type { GatewaySettings } from "../settings/gateway-options.ts";

/** The caller of a request. */
export interface AuthenticatedCaller {
  readonly principal: string | undefined;
  /**
   * Tells those apart who have different credentials: sessions are theirs alone. `undefined` where
   * there is but one.
   */
  readonly owner: string | undefined;
}

/**
 * The headers that an answer to a page of this origin needs.
 * https://fetch.spec.whatwg.org/#http-cors-protocol
 */
export function corsHeaders(exchange: GatewayHttpExchange): HttpHeaders {
  const origin = exchange.header("origin");
  if (origin === undefined) return {};
  return {
    "access-control-allow-origin": origin,
    "access-control-expose-headers": "mcp-session-id, www-authenticate",
    vary: "origin",
  };
}

/** Answers a page's question whether it may ask. */
export function replyPreflight(exchange: GatewayHttpExchange): void {
  exchange.reply(204, {
    ...corsHeaders(exchange),
    "access-control-allow-methods": "GET, POST, DELETE",
    "access-control-allow-headers": exchange.header("access-control-request-headers")?.slice(0, 1024) ?? "",
    "access-control-max-age": "600",
  });
}

/**
 * Refuses a request that calls this machine by a name that is not its own, or that a page from
 * elsewhere sent: `false` is answered already.
 */
export function isFromHere(exchange: GatewayHttpExchange, { hosts, isAllowedOrigin }: HttpSettings): boolean {
  const host = exchange.header("host");
  const origin = exchange.header("origin");
  const isKnownHost = host !== undefined && hosts.has(hostnameOf(host));
  if (isKnownHost && (origin === undefined || isAllowedOrigin(origin))) return true;
  const message = isKnownHost ? "Forbidden: this origin may not come in" : "Forbidden: unknown Host";
  // Without the headers that would let a page read it.
  const body = JSON.stringify(errorMessage(undefined, { code: rpcCodes.refused, message }));
  exchange.reply(403, { "content-type": "application/json" }, body);
  return false;
}

function hostnameOf(host: string): string {
  const port = /:\d+$/.exec(host);
  return (port === null ? host : host.slice(0, port.index)).toLowerCase();
}

/** Lets in by the token. Throws an {@linkcode HttpRefusal}. */
export async function authenticateRequest(
  exchange: GatewayHttpExchange,
  settings: HttpSettings,
  { limits }: Pick<GatewaySettings, "limits">,
): Promise<AuthenticatedCaller> {
  const { auth, tokens } = settings;
  if (auth === "none") return { principal: undefined, owner: undefined };
  const token = readBearer(exchange.header("authorization"));
  if (token === undefined) throw challenge(settings);
  if ("token" in auth) {
    // All are compared, whichever fits.
    const at = tokens.map((known) => isSame(known, token)).indexOf(true);
    if (at === -1) throw challenge(settings, { refused: "invalid_token" });
    return { principal: undefined, owner: tokens.length === 1 ? undefined : `token ${at}` };
  }
  const { method, path } = exchange;
  let verified: VerifiedToken | RefusedToken;
  try {
    const asked = (async () => auth.verifyToken(token, { method, path }))();
    const answer = await resultWithin(asked, limits.verifyTokenMs);
    if (answer === undefined) throw new TypeError("verifyToken did not answer in time");
    verified = readVerified(answer);
  } catch {
    throw new HttpRefusal(503, "The token could not be checked");
  }
  if ("refused" in verified) throw challenge(settings, verified);
  return { principal: verified.principal, owner: verified.principal };
}

// Without a name of their own, several users would be one.
function readVerified(verified: VerifiedToken | RefusedToken): VerifiedToken | RefusedToken {
  if ("refused" in verified || (typeof verified.principal === "string" && verified.principal !== "")) return verified;
  throw new TypeError("verifyToken must say whose token it is, or why it is refused");
}

function readBearer(authorization: string | undefined): string | undefined {
  const match = /^bearer +([\w\-.~+/]+=*)$/i.exec(authorization ?? "");
  return match?.[1];
}

/** Takes as long for any text of the same length. */
function isSame(known: string, given: string): boolean {
  const isLong = known.length === given.length;
  const other = isLong ? given : known;
  let difference = isLong ? 0 : 1;
  for (let at = 0; at < known.length; at += 1) difference |= known.charCodeAt(at) ^ other.charCodeAt(at);
  return difference === 0;
}

function challenge({ resource }: HttpSettings, why?: RefusedToken): HttpRefusal {
  const parts = [
    ...(why === undefined ? [] : [`error="${why.refused}"`]),
    ...(why?.scope === undefined ? [] : [`scope="${why.scope.replaceAll(/[^\x20\x21\x23-\x5B\x5D-\x7E]/g, "")}"`]),
    ...(resource === undefined ? [] : [`resource_metadata="${resource.url}"`]),
  ];
  const headers = { "www-authenticate": parts.length === 0 ? "Bearer" : `Bearer ${parts.join(", ")}` };
  return why?.refused === "insufficient_scope"
    ? new HttpRefusal(403, "Forbidden: the token does not allow this", { headers })
    : new HttpRefusal(401, "Unauthorized", { headers });
}

interface RefusalInit {
  readonly headers?: HttpHeaders;
  /** The error of the body. Default: that the gateway refuses it, with the message. */
  readonly failure?: RpcFailure;
  readonly id?: RequestId | undefined;
}

/** Ends an exchange with an error; the handler answers it. */
export class HttpRefusal extends Error {
  readonly #status: number;
  readonly #init: RefusalInit;

  constructor(status: number, message: string, init: RefusalInit = {}) {
    super(message);
    this.#status = status;
    this.#init = init;
  }

  /** A refusal of a message, which is answered with this failure. */
  static of(status: number, failure: RpcFailure, id?: RequestId): HttpRefusal {
    return new HttpRefusal(status, failure.message, { failure, id });
  }

  reply(exchange: GatewayHttpExchange): void {
    const { headers, id, failure = { code: rpcCodes.refused, message: this.message } } = this.#init;
    const all = { ...corsHeaders(exchange), ...headers, "content-type": "application/json" };
    exchange.reply(this.#status, all, JSON.stringify(errorMessage(id, failure)));
  }
}
