import { HostsideError, truncateText } from "@hostside/core";
import {
  formatMs,
  isConfidentialUrl,
  readOAuthAnswer,
  clock,
  parseRetryAfter,
  quoteText,
  safeCause,
} from "@hostside/core/implement";
import type { Account } from "../account.ts";
import { isTokenText, type Tokens } from "../accounts/stored-account.ts";
import { serverError, hostsideErrorIn, safeExcerptOf, withServerName } from "../auth-errors.ts";
import { withinTime } from "../within-time.ts";
import type { ClientAuthentication } from "../clients/authenticate-client.ts";
import type { DpopSigner } from "../dpop/dpop.ts";

/** The outcome of a request for tokens. */
export type TokenResult =
  | { readonly tokens: Tokens; readonly failure?: undefined }
  | { readonly tokens?: undefined; readonly failure: TokenFailure };

/** Parameters of a request. Absent ones are left out. */
export type TokenParameters = Readonly<Record<string, string | undefined>>;

/** One request for tokens. */
interface TokenRequest {
  readonly account: Account;
  readonly endpoint: string;
  readonly authenticate?: ClientAuthentication | undefined;
  /** Binds the tokens to a key (RFC 9449). */
  readonly signer?: DpopSigner | undefined;
  /** Throws when the request must not be sent any more. Asked right before it leaves. */
  readonly assertWanted?: (() => void) | undefined;
}

/** Later than any `fetch` of a connector gives up; for one of the product's own that hangs. */
export const longestAnswerMs = 40_000;

/**
 * Sends one request to a token endpoint (RFC 6749, 5). If the server asks for a DPoP nonce, the
 * request is sent once more with it. Never rejects. A body without a known member is never quoted.
 */
export async function askForTokens(request: TokenRequest, params: TokenParameters): Promise<TokenResult> {
  const { account, endpoint, signer, authenticate, assertWanted } = request;
  const onTimeout = (): HostsideError =>
    serverError(account, `no answer of the authorization server within ${formatMs(longestAnswerMs)}`, {
      code: "request_timeout",
      details: { timeoutMs: longestAnswerMs },
    });
  let wasSent = false;
  try {
    const url = new URL(endpoint);
    if (!isConfidentialUrl(url)) throw new TypeError("the token endpoint is neither https: nor on this machine");
    for (let attempt = 1; ; attempt += 1) {
      const given = Object.entries(params).filter((pair): pair is [string, string] => pair[1] !== undefined);
      const body = new URLSearchParams(given);
      const headers = new Headers({
        accept: "application/json",
        "content-type": "application/x-www-form-urlencoded",
      });
      await authenticate?.(headers, body);
      if (signer !== undefined) headers.set("dpop", await signer.proofFor({ method: "POST", url }));
      assertWanted?.();
      wasSent = true;
      const { response, text } = await withinTime({ timeoutMs: longestAnswerMs, onTimeout }, async () => {
        const answered = await account.fetch(url, { method: "POST", headers, body });
        return { response: answered, text: await answered.text() };
      });
      signer?.onAnswered({ method: "POST", url }, (name) => response.headers.get(name) ?? undefined);
      const answer = readOAuthAnswer(text);
      const code = isErrorCode(answer?.["error"]) ? answer["error"] : undefined;
      const tokens = response.ok && code === undefined ? readTokens(answer) : undefined;
      if (tokens !== undefined) return { tokens };
      if (signer !== undefined && code === "use_dpop_nonce" && attempt === 1) continue;
      const description = textOf(answer?.["error_description"]) ?? "";
      return { failure: fromRefusedAnswer(account, url, { response, code, description }) };
    }
  } catch (error) {
    return { failure: fromRequestError(account, error, wasSent) };
  }
}

/** Parameters that some authorization servers refuse. */
type OptionalParameters = Readonly<Partial<Record<"resource" | "scope", string | undefined>>>;

/**
 * Asks as {@linkcode askForTokens} does, and once more without the parameter that the answer
 * refuses. `sent`: what went with the last request.
 */
export async function askWithOptional(
  request: TokenRequest,
  params: TokenParameters,
  optional: OptionalParameters,
): Promise<TokenResult & { readonly sent: OptionalParameters }> {
  const first = await askForTokens(request, { ...params, ...optional });
  const refused = first.failure && refusedParameter(first.failure, optional);
  if (refused === undefined) return { ...first, sent: optional };
  const sent = { ...optional, [refused]: undefined };
  const second = await askForTokens(request, { ...params, ...sent });
  if (second.failure === undefined) return { ...second, sent };
  const { rawMessage, code, serverId, outcome, details } = second.failure.error;
  const message = `${rawMessage}; with the parameter ${refused} it answered ${first.failure?.code ?? ""} before`;
  const error = new HostsideError(message, { code, serverId, outcome, details, cause: second.failure.error });
  return { failure: { ...second.failure, error }, sent };
}

// Entra and others answer `invalid_request` to a `resource` that they do not know (RFC 8707).
function refusedParameter(
  { code }: TokenFailure,
  { resource, scope }: OptionalParameters,
): keyof OptionalParameters | undefined {
  const isTarget = code === "invalid_target" || code === "invalid_request";
  if (isTarget && resource !== undefined) return "resource";
  return scope !== undefined && (code === "invalid_scope" || code === "invalid_request") ? "scope" : undefined;
}

/** Asks as {@linkcode askForTokens} does, and rejects with the error of a failure. */
export async function requestTokens(request: TokenRequest, params: TokenParameters): Promise<Tokens> {
  const { tokens, failure } = await askForTokens(request, params);
  if (failure !== undefined) throw failure.error;
  return tokens;
}

/** The usable members of an answer; `undefined` when there is no token that can be sent. */
function readTokens(body: Readonly<Record<string, unknown>> | undefined): Tokens | undefined {
  const { access_token: accessToken, token_type: tokenType, refresh_token: refreshToken } = body ?? {};
  const issuedTokenType = textOf(body?.["issued_token_type"]);
  if (!isTokenText(accessToken)) return undefined;
  if (tokenType !== undefined && typeof tokenType !== "string") return undefined;
  // An identity provider's assertion is no access token, and its type is N_A (RFC 8693, 2.2.1).
  const isExchanged = issuedTokenType !== undefined && /^n_a$/i.test(tokenType ?? "");
  if (!isExchanged && !/^(?:bearer|dpop)$/i.test(tokenType ?? "bearer")) return undefined;
  return {
    accessToken,
    tokenType,
    lifeSeconds: readLife(body?.["expires_in"]),
    refreshToken: isTokenText(refreshToken) ? refreshToken : undefined,
    scope: textOf(body?.["scope"]),
    issuedTokenType,
  };
}

// Nobody means such a life; a number that is too large is one that was not meant in seconds.
const longestLifeSeconds = 10 * 365 * 24 * 3600;

// In seconds, also as a text, as some servers send it.
function readLife(value: unknown): number | undefined {
  const text = typeof value === "string" ? value.trim() : undefined;
  if (text !== undefined && !/^\d{1,12}$/.test(text)) return undefined;
  const seconds = text === undefined ? value : Number(text);
  return typeof seconds === "number" && seconds > 0 && seconds <= longestLifeSeconds ? seconds : undefined;
}

// RFC 6749, appendix A.7. A longer text is no code that anybody looks up.
function isErrorCode(value: unknown): value is string {
  return typeof value === "string" && /^[\u0020\u0021\u0023-\u005B\u005D-\u007E]{1,80}$/.test(value);
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

/**
 * The meaning of a failed request for tokens:
 *
 * - `dead-grant`: what was to be redeemed is of no use any more (`invalid_grant`).
 * - `dead-client`: the client is not known, or not as that (`invalid_client`,
 *   `unauthorized_client`).
 * - `refused`: another no of the authorization server's, or a fault of this host; the same again
 *   gets the same.
 * - `passing`: no answer, or none that an authorization server in order gives. Says nothing about
 *   the tokens.
 */
type TokenTrouble = "dead-client" | "dead-grant" | "passing" | "refused";

/** The reason that there are no tokens. */
export interface TokenFailure {
  readonly trouble: TokenTrouble;
  /**
   * For whoever wanted them. Its outcome is `not-sent`, because what they were wanted for was not
   * sent.
   */
  readonly error: HostsideError;
  /** The code of the OAuth error, if it is one. */
  readonly code?: string | undefined;
  /**
   * True if what was to be redeemed surely was not: the request never left, or its answer was a no.
   */
  readonly isUnredeemed: boolean;
}

/** An answer that gave no tokens. Untrusted. */
interface RefusedAnswer {
  readonly response: Response;
  /** The code of the OAuth error; `undefined` when there is none. */
  readonly code: string | undefined;
  /** The server's words about the code. */
  readonly description: string;
}

const troubles: ReadonlyMap<string, TokenTrouble> = new Map([
  ["invalid_grant", "dead-grant"],
  // GitHub's own, with status 200.
  ["bad_refresh_token", "dead-grant"],
  ["invalid_client", "dead-client"],
  ["unauthorized_client", "dead-client"],
  // RFC 6749, 4.1.2.1 and RFC 8628, 3.5: sent by token endpoints, too.
  ["server_error", "passing"],
  ["temporarily_unavailable", "passing"],
  ["slow_down", "passing"],
]);

const longestQuote = 200;

/** Names what an answer without tokens means. */
function fromRefusedAnswer(account: Account, url: URL, answer: RefusedAnswer): TokenFailure {
  const { response, code } = answer;
  const { status, headers } = response;
  const trouble = troubleOf(status, code);
  const retryAfterMs = parseRetryAfter(headers.get("retry-after") ?? undefined, clock.date());
  const errorCode = trouble !== "passing" ? "auth_required" : status === 429 ? "rate_limited" : "http_error";
  const text = `${truncateText(url.origin, 100)} gave no token: ${describeAnswer(account, answer)}`;
  const error = serverError(account, text, {
    code: errorCode,
    outcome: "not-sent",
    details: {
      operation: "token request",
      httpStatus: status,
      ...(retryAfterMs !== undefined && trouble === "passing" && { retryAfterMs }),
    },
  });
  // Behind a gateway the authorization server may have done what was asked and its answer been
  // lost.
  const isUnredeemed = code !== undefined || (status >= 400 && status < 500);
  return { trouble, error, code, isUnredeemed };
}

/**
 * Makes the failure of a request for tokens without an answer; `wasSent`: whether a request may
 * have left at all.
 */
function fromRequestError(account: Account, cause: unknown, wasSent: boolean): TokenFailure {
  const { serverId, secrets } = account;
  const known = hostsideErrorIn(cause);
  if (known !== undefined) {
    const error = new HostsideError(withServerName(serverId, known.rawMessage), {
      code: known.code,
      serverId,
      outcome: "not-sent",
      details: { ...known.details, operation: "token request" },
      cause: known,
    });
    const isPassing = error.code === "closed" || (error.kind !== "auth" && error.kind !== "contract");
    return {
      trouble: isPassing ? "passing" : "refused",
      error,
      isUnredeemed: !wasSent || known.outcome === "not-sent",
    };
  }
  const said = cause instanceof Error ? `${cause.name}: ${cause.message}` : "no reason given";
  const reason = quoteText(safeExcerptOf(account, said, longestQuote), longestQuote);
  const what = wasSent ? "no answer of the authorization server" : "no token could be asked for";
  const error = serverError(account, `${what}: ${reason}`, {
    code: wasSent ? "unreachable" : "auth_required",
    outcome: "not-sent",
    details: { operation: "token request" },
    cause: safeCause(cause, secrets.redact),
  });
  return { trouble: wasSent ? "passing" : "refused", error, isUnredeemed: !wasSent };
}

// What a proxy says, or a server that is out of order, is no verdict on anybody's tokens.
const passingStatuses: ReadonlySet<number> = new Set([407, 408, 425, 429]);

function troubleOf(status: number, code: string | undefined): TokenTrouble {
  if (status >= 500 || passingStatuses.has(status)) return "passing";
  if (code !== undefined) return troubles.get(code) ?? "refused";
  return status >= 400 ? "refused" : "passing";
}

// A body may hold tokens in any form: beside an OAuth error nothing of it is quoted.
function describeAnswer(account: Account, { response, code, description }: RefusedAnswer): string {
  const { status, headers } = response;
  const what = `HTTP ${status}${status >= 400 ? "" : " without a usable token"}`;
  if (code === undefined) {
    const type = safeExcerptOf(account, headers.get("content-type") ?? "of no type", 80);
    return `${what} (${type}; not an OAuth answer, its body is not shown)`;
  }
  const said = safeExcerptOf(account, description === "" ? code : `${code}: ${description}`, longestQuote);
  return `${what} (${quoteText(said, longestQuote)})`;
}
