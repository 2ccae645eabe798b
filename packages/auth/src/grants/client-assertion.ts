import { dateOf } from "@toolport/core/implement";
import type { Clock } from "@toolport/core";
import type { AddClientAuthentication } from "@modelcontextprotocol/client";
import type { CryptoKey } from "jose";
import type { PrivateKey } from "../oauth-options.ts";

const lifeSeconds = 120;

/** Who asserts what, and to whom. */
export interface ClientAssertion {
  readonly clientId: string;
  readonly privateKey: PrivateKey;
  /** The authorization server's issuer, and not the URL of an endpoint that it names. */
  readonly audience: string;
  readonly clock: Clock;
  /** Asked to mask what is sent. */
  readonly learn: (secret: string) => void;
}

/**
 * Proves who a client is by a signed assertion (RFC 7523, 2.2): a new one for each request. Not by the SDK's own, which names no key (`kid`), without
 * which a server with several keys of one client cannot check it.
 */
export function assertClient({
  clientId,
  privateKey,
  audience,
  clock,
  learn,
}: ClientAssertion): AddClientAuthentication {
  return async (_headers, params) => {
    const { SignJWT } = await import("jose");
    const { algorithm, keyId } = privateKey;
    const now = Math.floor(dateOf(clock) / 1000);
    const kid = keyId ?? keyIdOf(privateKey);
    const assertion = await new SignJWT()
      .setProtectedHeader({ alg: algorithm, typ: "JWT", ...(kid !== undefined && { kid }) })
      .setIssuer(clientId)
      .setSubject(clientId)
      .setAudience(audience)
      .setJti(crypto.randomUUID())
      .setIssuedAt(now)
      .setExpirationTime(now + lifeSeconds)
      .sign(await importKey(privateKey));
    learn(assertion);
    params.set("client_id", clientId);
    params.set("client_assertion", assertion);
    params.set("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer");
  };
}

/** Rejects when the key is none of its algorithm; the reason may quote it. */
export async function importKey({ key, algorithm }: PrivateKey): Promise<CryptoKey | Uint8Array> {
  const { importJWK, importPKCS8 } = await import("jose");
  return typeof key === "string" ? importPKCS8(key, algorithm) : importJWK(key, algorithm);
}

function keyIdOf({ key }: PrivateKey): string | undefined {
  return typeof key !== "string" && typeof key["kid"] === "string" ? key["kid"] : undefined;
}
