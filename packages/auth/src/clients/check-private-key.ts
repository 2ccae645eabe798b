import { isJsonObject } from "@hostside/core/implement";

/** What assertions may be signed with, and the type of the keys that do it. */
const signingAlgorithms: ReadonlyMap<unknown, string> = new Map([
  ...["ES256", "ES384", "ES512"].map((name) => [name, "EC"] as const),
  ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"].map((name) => [name, "RSA"] as const),
  ["EdDSA", "OKP"],
  ["Ed25519", "OKP"],
]);

/**
 * What is wrong with a key that is to sign assertions, as far as it can be seen without reading it:
 * the member and the rule that it breaks. Never shows anything of the key.
 */
export function findKeyProblem({
  key,
  algorithm,
}: {
  readonly key?: unknown;
  readonly algorithm?: unknown;
}): { readonly member: "algorithm" | "key"; readonly rule: string } | undefined {
  const keyType = signingAlgorithms.get(algorithm);
  if (keyType === undefined) {
    return { member: "algorithm", rule: `must be one of ${Array.from(signingAlgorithms.keys()).join(", ")}` };
  }
  if (typeof key === "string") return isPkcs8(key) ? undefined : { member: "key", rule: wrongFormat };
  if (!isJsonObject(key)) return { member: "key", rule: wrongFormat };
  if (key["kty"] !== keyType) {
    return { member: "key", rule: `must be a JWK of the type ${keyType}, as its algorithm needs` };
  }
  return typeof key["d"] === "string" ? undefined : { member: "key", rule: "is a public JWK; a private one is needed" };
}

const wrongFormat =
  'must be a private key as PKCS #8 in PEM ("-----BEGIN PRIVATE KEY-----") or as a JWK; `openssl pkcs8 -topk8 -nocrypt` converts other formats';

function isPkcs8(pem: string): boolean {
  return /^\s*-----BEGIN PRIVATE KEY-----[A-Za-z0-9+/=\s]+-----END PRIVATE KEY-----\s*$/.test(pem);
}
