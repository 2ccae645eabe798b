import type { AuthorizedRequest, CredentialHeaders, JsonObject } from "@hostside/core";
import type { CryptoKey, JWK } from "jose";
import { perAccount, useLast, type Account } from "../account.ts";
import { authRequired } from "../auth-errors.ts";
import type { StoredAuthorization } from "../accounts/stored-account.ts";
import { bytesToBase64Url, hashText } from "../store/sealer.ts";

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
export const dpopAlgorithm = "ES256";

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
