import type { AuthorizedRequest, CredentialHeaders, JsonObject } from "@hostside/core";
import type { DpopSession, DpopKeyPair } from "@modelcontextprotocol/client";
import type { Account } from "../account.ts";
import { authRequired } from "../auth-errors.ts";
import { loadOAuth } from "../load-oauth.ts";
import type { StoredAuthorization } from "../accounts/stored-account.ts";
import { bytesToBase64Url, hashText } from "../store/sealer.ts";

/** Proves that who sends a token has the key that it is bound to (RFC 9449). */
export interface DpopSigner {
  /** The private key as a JWK, for {@linkcode StoredAuthorization.dpopKey}. */
  readonly key: JsonObject;
  /**
   * For the SDK's requests to a token endpoint: they carry a proof, and answer the demand for a
   * nonce by themselves, once.
   */
  readonly session: DpopSession;
  /** The headers of one request with a bound token: a proof is good for one. */
  headersFor(request: AuthorizedRequest, accessToken: string): Promise<CredentialHeaders>;
  /**
   * Takes note of the nonce that came with an answer. Must be asked about every answer (RFC 9449,
   * 8.2). Never throws.
   */
  onAnswered(request: AuthorizedRequest, header: (name: string) => string | undefined): void;
  /**
   * Whether a request that was refused for want of a nonce is worth sending again: there is one
   * now, and `sent`, what the refused one was sent with, had not got it.
   */
  hasNewNonce(request: AuthorizedRequest, sent: CredentialHeaders): boolean;
}

// A nonce is a short opaque text; a longer one would make requests too large for servers to take.
const longestNonce = 1024;

const mostSigners = 4;
// By the key; the latest last.
const signersOf = new WeakMap<Account, Map<string, Promise<DpopSigner>>>();

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
  const signers = signersOf.get(account) ?? new Map<string, Promise<DpopSigner>>();
  signersOf.set(account, signers);
  const signer = signers.get(id) ?? makeSigner(account, key);
  signers.delete(id);
  signers.set(id, signer);
  for (const oldest of signers.keys()) {
    if (signers.size <= mostSigners) break;
    signers.delete(oldest);
  }
  return signer;
}

async function makeSigner(account: Account, key: JsonObject): Promise<DpopSigner> {
  if (typeof key["d"] === "string") account.secrets.learn(key["d"]);
  const { DpopSession } = await loadOAuth();
  try {
    return signerOf(key, await DpopSession.create({ keyPair: await readDpopKey(key) }));
  } catch {
    // Whatever the reason says, it may quote the key.
    throw authRequired(
      account,
      "the key that its tokens are bound to (DPoP) cannot be read from the store; sign in again",
    );
  }
}

function signerOf(key: JsonObject, session: DpopSession): DpopSigner {
  return {
    key,
    session,
    async headersFor({ method, url }, accessToken) {
      const proof = await session.buildProof({ htm: method, htu: url, accessToken });
      return { authorization: `DPoP ${accessToken}`, dpop: proof };
    },
    onAnswered({ url }, header) {
      const nonce = header("dpop-nonce");
      if (nonce !== undefined && isNonce(nonce)) session.rememberNonce(url, nonce);
    },
    hasNewNonce({ url }, sent) {
      const nonce = session.nonceFor(url);
      return nonce !== undefined && nonce !== nonceIn(sent["dpop"] ?? "");
    },
  };
}

// RFC 9449, 8.1: the characters of NQCHAR.
function isNonce(text: string): boolean {
  return text.length <= longestNonce && /^[\u0021\u0023-\u005B\u005D-\u007E]+$/.test(text);
}

function nonceIn(proof: string): unknown {
  const [, payload = ""] = proof.split(".");
  try {
    const claims: unknown = JSON.parse(atob(payload.replaceAll("-", "+").replaceAll("_", "/")));
    return typeof claims === "object" && claims !== null && "nonce" in claims ? claims.nonce : undefined;
  } catch {
    return undefined;
  }
}

/**
 * What proofs are signed with: every authorization server that knows DPoP knows it, and its keys
 * are small.
 */
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

/**
 * A kept key, as the SDK takes it. Rejects when it is no private key of the P-256 curve; the reason
 * may quote it.
 */
async function readDpopKey({ kty, crv, x, y, d }: JsonObject): Promise<DpopKeyPair> {
  if (kty !== "EC" || crv !== curve.namedCurve || !isText(x) || !isText(y) || !isText(d)) {
    throw new TypeError("no private key of P-256");
  }
  const publicJwk = { kty, crv, x, y };
  const [privateKey, publicKey, thumbprint] = await Promise.all([
    crypto.subtle.importKey("jwk", { ...publicJwk, d }, curve, false, ["sign"]),
    crypto.subtle.importKey("jwk", publicJwk, curve, true, ["verify"]),
    thumbprintOf(publicJwk),
  ]);
  return { privateKey, publicKey, publicJwk, thumbprint, alg: dpopAlgorithm };
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

// RFC 7638: the members that are needed, in the order of their names.
async function thumbprintOf({ crv, kty, x, y }: { crv: string; kty: string; x: string; y: string }): Promise<string> {
  return bytesToBase64Url(await hashText(JSON.stringify({ crv, kty, x, y })));
}
