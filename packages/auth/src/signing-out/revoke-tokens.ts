import type { Clock } from "@hostside/core";
import type { Account } from "../account.ts";
import type { AuthParts } from "../auth-parts.ts";
import { isConfidentialUrl, resultWithin } from "@hostside/core/implement";
import { authenticateClient, proofOf } from "../clients/authenticate-client.ts";
import { listOf } from "../discovering/server-metadata.ts";
import { settleInTurns } from "../settle-in-turns.ts";
import type { StoredAuthorization } from "../store/stored-account.ts";

const revokingMs = 5000;

/**
 * Asks each authorization server that offers it to revoke what it gave (RFC 7009). Resolves to
 * whether all agreed in time; to `undefined` when none offers it. Never rejects.
 */
export async function revokeAll(
  { clock }: Pick<AuthParts, "clock">,
  account: Account,
  authorizations: readonly StoredAuthorization[],
): Promise<boolean | undefined> {
  const offering = authorizations.filter(({ metadata }) => typeof metadata["revocation_endpoint"] === "string");
  if (offering.length === 0) return undefined;
  const work = settleInTurns(offering, (authorization) => revoke({ account, clock }, authorization));
  const agreed = await resultWithin(work, revokingMs, clock);
  return agreed?.every(Boolean) ?? false;
}

interface Revoker {
  readonly account: Account;
  readonly clock: Clock;
}

async function revoke(revoker: Revoker, authorization: StoredAuthorization): Promise<boolean> {
  const { refreshToken, accessToken } = authorization;
  try {
    // The refresh token first: it lives longest, and most servers end the access token with it.
    const first =
      refreshToken === undefined || (await revokeToken(revoker, authorization, [refreshToken, "refresh_token"]));
    const second = await revokeToken(revoker, authorization, [accessToken, "access_token"]);
    return first && second;
  } catch {
    return false;
  }
}

async function revokeToken(
  { account, clock }: Revoker,
  { issuer, metadata, client }: StoredAuthorization,
  [token, hint]: readonly [token: string, hint: string],
): Promise<boolean> {
  const endpoint = metadata["revocation_endpoint"];
  const url = typeof endpoint === "string" ? new URL(endpoint) : undefined;
  if (url === undefined || !isConfidentialUrl(url)) return false;
  const body = new URLSearchParams({ token, token_type_hint: hint });
  const methods = listOf(metadata, "revocation_endpoint_auth_methods_supported");
  const headers = new Headers({ accept: "application/json" });
  const place = { account, clock, issuer, metadata, methods };
  await authenticateClient(proofOf(account, client), place)(headers, body, url);
  const response = await account.fetch(url, { method: "POST", headers, body });
  await response.body?.cancel();
  return response.ok;
}
