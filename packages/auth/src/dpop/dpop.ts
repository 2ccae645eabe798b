import type { AuthorizedRequest, CredentialHeaders, JsonObject } from "@hostside/core";
import type { CryptoKey, JWK } from "jose";
import { perAccount, useLast, type Account } from "../account.ts";
import { authRequired } from "../auth-errors.ts";
import type { StoredAuthorization, StoredMetadata } from "../accounts/stored-account.ts";
import { bytesToBase64Url, hashText } from "../store/sealer.ts";
import { quoteText } from "@hostside/core/implement";
import { readChallenges } from "../discovering/read-challenges.ts";

/** Proves that the sender of a token has the key that it is bound to (RFC 9449). */
export interface DpopSigner {
  /** The private key as a JWK, for {@linkcode StoredAuthorization.dpopKey}. */
  readonly key: JsonObject;
  /** A proof for one request, with the latest nonce of its origin. */
  proofFor(request: AuthorizedRequest, accessToken?: string): Promise<string>;
  /** Takes note of the nonce that came with an answer (RFC 9449, 8.2). Never throws. */
  onAnswered(request: AuthorizedRequest, header: (name: string) => string | undefined): void;
  /**
   * True if a request that was refused for want of a nonce is worth sending again: there is one
   * now, and `sent`, what the refused one was sent with, had not got it.
   */
  hasNewNonce(request: AuthorizedRequest, sent: CredentialHeaders): Promise<boolean>;
}

type SigningKey = CryptoKey | Uint8Array;

// RFC 9449, 8.1: the characters of NQCHAR. A longer text would make requests too large.
const nonceText = /^[\u0021\u0023-\u005B\u005D-\u007E]{1,1024}$/;

const mostSigners = 4;
// By the key; the latest last.
const signersOf = perAccount(() => new Map<string, Promise<DpopSigner>>());

/**
 * The signer of an account: with the key that the stored authorization is bound to, or with a new
 * one. It keeps its nonces: the same one for the same key. Rejects with `auth_required` when the
 * stored key cannot be used.
 */
export async function dpopOf(
  account: Account,
  stored: Pick<StoredAuthorization, "dpopKey"> | undefined,
): Promise<DpopSigner> {
  const key = stored?.dpopKey ?? (await makeDpopKey());
  const id = JSON.stringify(key);
  const signers = signersOf(account);
  const signer = signers.get(id) ?? makeSigner(account, key);
  useLast(signers, [id, signer], mostSigners);
  return signer;
}

async function makeSigner(account: Account, key: JsonObject): Promise<DpopSigner> {
  if (typeof key["d"] === "string") account.secrets.learn(key["d"]);
  try {
    return signerOf(key, await readDpopKey(key));
  } catch {
    // Whatever the reason says, it may quote the key.
    throw authRequired(
      account,
      "the key that its tokens are bound to (DPoP) cannot be read from the store; sign in again",
    );
  }
}

function signerOf(key: JsonObject, privateKey: SigningKey): DpopSigner {
  const { kty = "", crv = "", x = "", y = "" } = key as Readonly<Record<string, string>>;
  // By origin.
  const nonces = new Map<string, string>();
  return {
    key,
    async proofFor({ method, url }, accessToken) {
      const { SignJWT } = await import("jose");
      const nonce = nonces.get(url.origin);
      const claims = {
        jti: crypto.randomUUID(),
        htm: method.toUpperCase(),
        htu: `${url.origin}${url.pathname}`,
        ...(nonce !== undefined && { nonce }),
        ...(accessToken !== undefined && { ath: bytesToBase64Url(await hashText(accessToken)) }),
      };
      return new SignJWT(claims)
        .setProtectedHeader({ alg: dpopAlgorithm, typ: "dpop+jwt", jwk: { kty, crv, x, y } })
        .setIssuedAt()
        .sign(privateKey);
    },
    onAnswered({ url }, header) {
      const nonce = header("dpop-nonce");
      if (nonce !== undefined && nonceText.test(nonce)) nonces.set(url.origin, nonce);
    },
    async hasNewNonce({ url }, { dpop }) {
      const { decodeJwt } = await import("jose");
      const nonce = nonces.get(url.origin);
      return nonce !== undefined && (dpop === undefined || decodeJwt(dpop)["nonce"] !== nonce);
    },
  };
}

/** Signs proofs: every authorization server that knows DPoP knows it, and its keys are small. */
const dpopAlgorithm = "ES256";

const curve = { name: "ECDSA", namedCurve: "P-256" } as const;

/**
 * Makes a key that can be kept: RFC 9449 would have it stay where it was made, but then a restart
 * would end every sign-in.
 */
export async function makeDpopKey(): Promise<JsonObject> {
  const { privateKey } = await crypto.subtle.generateKey(curve, true, ["sign", "verify"]);
  const { kty, crv, x, y, d } = await crypto.subtle.exportKey("jwk", privateKey);
  return { kty, crv, x, y, d };
}

// Rejects when it is no private key of P-256; the reason may quote it.
async function readDpopKey({ kty, crv, x, y, d }: JsonObject): Promise<SigningKey> {
  if (kty !== "EC" || ![crv, x, y, d].every((member) => typeof member === "string")) {
    throw new TypeError("no private key of P-256");
  }
  const { importJWK } = await import("jose");
  return importJWK({ kty, crv, x, y, d } as JWK, dpopAlgorithm);
}

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
interface GivenToken {
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
