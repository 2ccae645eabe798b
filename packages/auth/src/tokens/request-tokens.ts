import type { OAuthTokens } from "@modelcontextprotocol/client";
import { HostsideError, type AuthorizationFetch, type Clock } from "@hostside/core";
import {
  createDeadline,
  dateOf,
  formatMs,
  isSecretName,
  readOAuthAnswer,
  untilAborted,
} from "@hostside/core/implement";
import type { Account } from "../account.ts";
import { fromRefusedAnswer, fromRequestError, type RefusedAnswer, type TokenFailure } from "./token-failure.ts";
import { readLife } from "../accounts/authorizations.ts";
import { isTokenText } from "../accounts/stored-account.ts";

/** How a request for tokens went. */
export type TokenResult =
  | { readonly tokens: OAuthTokens; readonly failure?: undefined }
  | { readonly tokens?: undefined; readonly failure: TokenFailure };

/** Who asks for tokens. */
export interface TokenRequest {
  readonly account: Account;
  readonly clock: Clock;
  /** Throws when the request must not be sent any more. Asked right before it leaves. */
  readonly assertWanted?: (() => void) | undefined;
}

/** Later than any `fetch` of a connector gives up; for one of the product's own that hangs. */
export const longestAnswerMs = 40_000;

// Parameters that are secrets by no part of their name.
const secretParameters: ReadonlySet<string> = new Set(["code", "code_verifier", "assertion", "subject_token"]);
// No code of any specification, so that the SDK does nothing about it but throw.
const noted = "noted_by_the_host";

/**
 * Has the SDK ask for tokens: `work` calls `refreshAuthorization`, `exchangeAuthorization` or
 * `fetchToken` with the `fetch` that it is given. That one keeps what the authorization server
 * said, which the SDK would drop (status, `Retry-After`) or put into a message in full; and hands
 * on the known members of an answer alone, because the SDK gives up a whole answer, and with it a
 * refresh token that was rotated, for an `expires_in` that is no number. Never rejects.
 */
export async function askForTokens(
  request: TokenRequest,
  work: (fetchFn: AuthorizationFetch) => Promise<OAuthTokens>,
): Promise<TokenResult> {
  const { account } = request;
  const watched = watchTokenFetch(request);
  try {
    const tokens = await work(watched.fetchFn);
    account.secrets.learn(tokens.access_token);
    account.secrets.learn(tokens.refresh_token ?? "");
    return { tokens };
  } catch (error) {
    return { failure: watched.failure() ?? fromRequestError(account, error, watched.wasSent()) };
  }
}

/** Parameters that some authorization servers refuse. */
export interface OptionalParameters {
  readonly resource?: string;
  readonly scope?: string;
}

/**
 * Asks as {@linkcode askForTokens} does, and once more without the parameter that the answer
 * refuses. `sent`: what went with the last request.
 */
export async function askWithOptional(
  request: TokenRequest,
  optional: OptionalParameters,
  work: (fetchFn: AuthorizationFetch, optional: OptionalParameters) => Promise<OAuthTokens>,
): Promise<TokenResult & { readonly sent: OptionalParameters }> {
  const first = await askForTokens(request, (fetchFn) => work(fetchFn, optional));
  const refused = first.failure && refusedParameter(first.failure, optional);
  if (refused === undefined) return { ...first, sent: optional };
  const { [refused]: _refused, ...sent } = optional;
  const second = await askForTokens(request, (fetchFn) => work(fetchFn, sent));
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

/** The same, for who can do nothing about a failure: rejects with its error. */
export async function requestTokens(
  request: TokenRequest,
  work: (fetchFn: AuthorizationFetch) => Promise<OAuthTokens>,
): Promise<OAuthTokens> {
  const { tokens, failure } = await askForTokens(request, work);
  if (failure !== undefined) throw failure.error;
  return tokens;
}

interface WatchedFetch {
  readonly fetchFn: AuthorizationFetch;
  readonly failure: () => TokenFailure | undefined;
  /** Whether a request may have left. */
  readonly wasSent: () => boolean;
}

function watchTokenFetch({ account, clock, assertWanted }: TokenRequest): WatchedFetch {
  let failure: TokenFailure | undefined;
  let sent = false;
  return {
    failure: () => failure,
    wasSent: () => sent,
    async fetchFn(url, init = {}) {
      if (init.method !== "POST") return account.fetch(url, init);
      failure = undefined;
      learnFromRequest(account, init);
      assertWanted?.();
      sent = true;
      let response: Response;
      let text: string;
      try {
        [response, text] = await answerInTime(account, clock, async () => {
          const answer = await account.fetch(url, init);
          return [answer, await answer.text()];
        });
      } catch (error) {
        failure = fromRequestError(account, error, true);
        throw error;
      }
      const body = readOAuthAnswer(text);
      const code = isErrorCode(body?.["error"]) ? body["error"] : undefined;
      const { status, headers } = response;
      const usable = response.ok && code === undefined ? usableMembers(body) : undefined;
      // Of the headers only this one says anything about the next request.
      const nonce = headers.get("dpop-nonce");
      const passed = nonce === null ? {} : { "dpop-nonce": nonce };
      if (usable !== undefined) return Response.json(usable, { headers: passed });
      const answer: RefusedAnswer = {
        status,
        retryAfter: headers.get("retry-after") ?? undefined,
        code,
        description: code === undefined ? "" : textOf(body?.["error_description"]),
        mediaType: headers.get("content-type") ?? undefined,
      };
      failure = fromRefusedAnswer(account, new URL(url), { ...answer, now: dateOf(clock) });
      // The SDK answers it with another proof, once.
      if (status === 400 && code === "use_dpop_nonce" && nonce !== null) {
        return Response.json({ error: code }, { status, headers: passed });
      }
      return Response.json({ error: noted }, { status: 400, headers: passed });
    },
  };
}

async function answerInTime<T>({ serverId }: Account, clock: Clock, work: () => Promise<T>): Promise<T> {
  const onTimeout = (): HostsideError =>
    new HostsideError(`no answer of the authorization server within ${formatMs(longestAnswerMs)}`, {
      code: "request_timeout",
      serverId,
      details: { timeoutMs: longestAnswerMs },
    });
  const deadline = createDeadline({ timeoutMs: longestAnswerMs, onTimeout, clock });
  try {
    return await untilAborted(work(), deadline.signal);
  } finally {
    deadline.dispose();
  }
}

/**
 * What an answer gives, without what the SDK would refuse all of it for; `undefined` when there is
 * no token to be used.
 */
function usableMembers(body: Readonly<Record<string, unknown>> | undefined): Record<string, unknown> | undefined {
  const {
    access_token: accessToken,
    token_type: tokenType = "Bearer",
    id_token: idToken,
    refresh_token: refreshToken,
  } = body ?? {};
  if (!isTokenText(accessToken)) return undefined;
  // What the enterprise flow gets from an identity provider is no access token, and says so: N_A
  // (RFC 8693, 2.2.1).
  if (typeof tokenType !== "string" || !/^(?:bearer|dpop|n_a)$/i.test(tokenType)) return undefined;
  const lifeSeconds = readLife(body?.["expires_in"]);
  const { issued_token_type: issuedTokenType, scope } = body ?? {};
  return {
    access_token: accessToken,
    token_type: tokenType,
    ...(lifeSeconds !== undefined && { expires_in: lifeSeconds }),
    ...(isTokenText(refreshToken) && { refresh_token: refreshToken }),
    ...(typeof scope === "string" && { scope }),
    ...(typeof idToken === "string" && { id_token: idToken }),
    ...(typeof issuedTokenType === "string" && { issued_token_type: issuedTokenType }),
  };
}

function learnFromRequest({ secrets }: Account, { headers, body }: RequestInit): void {
  const authorization = new Headers(headers).get("authorization");
  if (authorization !== null) secrets.learn(authorization.replace(/^\S+\s+/, ""));
  if (!(body instanceof URLSearchParams) && typeof body !== "string") return;
  for (const [name, value] of new URLSearchParams(body)) {
    if (isSecretName(name) || secretParameters.has(name)) secrets.learn(value);
  }
}

// RFC 6749, appendix A.7. A longer text is no code that anybody looks up.
function isErrorCode(value: unknown): value is string {
  return typeof value === "string" && /^[\u0020\u0021\u0023-\u005B\u005D-\u007E]{1,80}$/.test(value);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
