import { quoteText } from "@hostside/core/implement";
import type { Account } from "../account.ts";
import { authRequired } from "../auth-errors.ts";
import { readChallenges } from "../discovering/read-challenges.ts";
import type { StoredAuthorization, StoredMetadata } from "../accounts/stored-account.ts";
import { dpopAlgorithm } from "./dpop-signer.ts";

/** An authorization server, as far as bound tokens depend on it. */
export interface DpopServer {
  readonly issuer: string;
  readonly metadata: StoredMetadata;
  /**
   * True if the MCP server says in its metadata that it takes bound tokens alone (RFC 9728,
   * `dpop_bound_access_tokens_required`).
   */
  readonly wantsDpop: boolean;
}

/**
 * Tells whether to ask for tokens that are bound to a key (RFC 9449): where the client is
 * configured so, and otherwise where the MCP server wants it and the authorization server does not
 * say that it takes other signatures only. Throws `auth_required` when what is configured and what
 * the servers want exclude each other.
 */
export function choosesDpop(account: Account, { issuer, metadata, wantsDpop }: DpopServer): boolean {
  const { dpop } = account.config;
  const isWanted = wantsDpop || account.hints.dpop;
  if (dpop === false) {
    if (!isWanted) return false;
    throw authRequired(
      account,
      "it takes only tokens that are bound to a key (DPoP), and the client is configured with `dpop: false`; leave that out",
    );
  }
  // Who lists nothing may know it all the same; who does not ignores the proof.
  const algorithms = metadata["dpop_signing_alg_values_supported"];
  const takesOurs = !Array.isArray(algorithms) || algorithms.includes(dpopAlgorithm);
  if (dpop === true && !takesOurs) {
    throw authRequired(
      account,
      `the client is configured with \`dpop: true\`, and the authorization server ${quoteText(issuer)} takes no proofs that are signed with ES256`,
    );
  }
  return takesOurs && (dpop === true || isWanted);
}

/** A token that an authorization server gave, and whether a bound one was asked for. */
export interface GivenToken {
  readonly issuer: string;
  /** Default `Bearer`. */
  readonly tokenType?: string | undefined;
  readonly asked: boolean;
}

/**
 * Decides how a token is to be sent. Throws `auth_required` when it is of another kind than was
 * asked for and configured, because a token that anybody can use is not what the product counts on,
 * and when it is of a kind that cannot be sent.
 */
export function readTokenType(
  account: Account,
  { issuer, tokenType = "Bearer", asked }: GivenToken,
): "Bearer" | "DPoP" {
  const type = tokenType.toLowerCase();
  if (type === "dpop" && asked) return "DPoP";
  const server = `the authorization server ${quoteText(issuer)}`;
  if (type !== "bearer") {
    const what = `a token of the type ${quoteText(tokenType, 40)}, which cannot be used here`;
    throw authRequired(account, `${server} gave ${what}; it was not kept`);
  }
  if (account.config.dpop === true) {
    const what = `the client is configured with \`dpop: true\`, and ${server} gave a token that anybody can use (Bearer)`;
    throw authRequired(account, `${what}; it was not kept`);
  }
  return "Bearer";
}

/**
 * Tells whether a token is one that anybody can use, and the client is configured for bound ones:
 * from before that, or from a renewal that gave less.
 */
export function lacksKey({ config }: Account, { tokenType }: Pick<StoredAuthorization, "tokenType">): boolean {
  return config.dpop === true && tokenType !== "DPoP";
}

/** Tells whether a challenge asks for a nonce in the proof (RFC 9449, 9). */
export function challengesNonce(challenge: string | undefined): boolean {
  return readChallenges(challenge).some(
    ({ scheme, parameters }) => scheme === "dpop" && parameters.get("error") === "use_dpop_nonce",
  );
}
