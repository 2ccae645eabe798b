import type { JsonObject } from "@hostside/core";
import type { DpopKeyPair } from "@modelcontextprotocol/client";
import { bytesToBase64Url } from "../store/base64.ts";
import { hashText } from "../store/hash-text.ts";

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
export async function readDpopKey({ kty, crv, x, y, d }: JsonObject): Promise<DpopKeyPair> {
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
