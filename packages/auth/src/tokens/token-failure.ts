import { HostsideError, truncateText } from "@hostside/core";
import { clock, parseRetryAfter, quoteText, safeCause } from "@hostside/core/implement";
import type { Account } from "../account.ts";
import { hostsideErrorIn, safeExcerptOf, serverError, withServerName } from "../auth-errors.ts";

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
export type TokenTrouble = "dead-client" | "dead-grant" | "passing" | "refused";

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
export interface RefusedAnswer {
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
export function fromRefusedAnswer(account: Account, url: URL, answer: RefusedAnswer): TokenFailure {
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
export function fromRequestError(account: Account, cause: unknown, wasSent: boolean): TokenFailure {
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
