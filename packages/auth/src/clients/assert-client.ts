import type { AddClientAuthentication } from "@modelcontextprotocol/client";
import { HostsideError, type Clock } from "@hostside/core";
import { dateOf } from "@hostside/core/implement";
import type { CryptoKey } from "jose";
import type { Account } from "../account.ts";
import { nameServer } from "../auth-errors.ts";
import type { PrivateKey } from "../oauth-options.ts";

const lifeSeconds = 120;

/** To whom, and on whose behalf. */
export interface AssertionPlace {
  readonly account: Pick<Account, "secrets" | "serverId">;
  readonly clock: Clock;
  readonly issuer: string;
}

/** Who asserts to be that client, by which key. */
export interface ClientAssertion {
  readonly clientId: string;
  readonly privateKey: PrivateKey;
}

/**
 * Proves who a client is by a signed assertion (RFC 7523, 2.2) for the authorization server's
 * issuer: a new one for each request. Not by the SDK's own, which names no key (`kid`), without
 * which a server with several keys of one client cannot check it. Rejects with `invalid_spec` when
 * the key cannot be read.
 */
export function assertClient(
  { clientId, privateKey }: ClientAssertion,
  place: AssertionPlace,
): AddClientAuthentication {
  const { account, clock, issuer } = place;
  return async (_headers, params) => {
    const { SignJWT } = await import("jose");
    const { algorithm, keyId = keyIdOf(privateKey) } = privateKey;
    const key = await readKey(privateKey, account);
    const now = Math.floor(dateOf(clock) / 1000);
    const assertion = await new SignJWT()
      .setProtectedHeader({ alg: algorithm, typ: "JWT", ...(keyId !== undefined && { kid: keyId }) })
      .setIssuer(clientId)
      .setSubject(clientId)
      .setAudience(issuer)
      .setJti(crypto.randomUUID())
      .setIssuedAt(now)
      .setExpirationTime(now + lifeSeconds)
      .sign(key);
    account.secrets.learn(assertion);
    params.set("client_id", clientId);
    params.set("client_assertion", assertion);
    params.set("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer");
  };
}

async function readKey(
  { key, algorithm }: PrivateKey,
  { serverId }: AssertionPlace["account"],
): Promise<CryptoKey | Uint8Array> {
  const { importJWK, importPKCS8 } = await import("jose");
  try {
    return await (typeof key === "string" ? importPKCS8(key, algorithm) : importJWK(key, algorithm));
  } catch {
    // The reason may quote the key.
    throw new HostsideError(
      `${nameServer(serverId)}: the private key of its client cannot be read as a key for ${algorithm}`,
      { code: "invalid_spec", serverId },
    );
  }
}

function keyIdOf({ key }: PrivateKey): string | undefined {
  return typeof key !== "string" && typeof key["kid"] === "string" ? key["kid"] : undefined;
}
