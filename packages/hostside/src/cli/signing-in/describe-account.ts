import type { SignedIn } from "@hostside/auth";
import { formatDuration } from "../render/print.ts";

/** A server and whoever is signed in there: what `--json` has. No secret is in it. */
export interface AccountFacts extends Partial<
  Pick<SignedIn, "principal" | "issuer" | "clientId" | "scopes" | "renews">
> {
  readonly server: string;
  /** `"signed-in"`: a token is there that counts, or another one is had without a user. */
  readonly state: "signed-in" | "expired";
  /** The configuration has the server. */
  readonly configured: boolean;
  readonly url?: string | undefined;
  /** ISO 8601. */
  readonly expiresAt?: string | undefined;
}

/** Describes a sign-in. `now`: milliseconds since 1970. */
export function describeAccount(account: SignedIn, configured: boolean, now: number): AccountFacts {
  const { serverId, principal, issuer, serverUrl, clientId, scopes, expiresAt, renews } = account;
  return {
    server: serverId,
    state: isGood(account, now) ? "signed-in" : "expired",
    configured,
    principal,
    issuer,
    url: serverUrl,
    clientId,
    scopes,
    expiresAt: expiresAt === undefined ? undefined : new Date(expiresAt).toISOString(),
    renews,
  };
}

/** Tells whether a sign-in works without a user. */
export function isGood({ expiresAt, renews }: SignedIn, now: number): boolean {
  return renews || expiresAt === undefined || expiresAt > now;
}

/** The server of an account, and its principal. */
export function nameOf({ server, principal }: Pick<AccountFacts, "server" | "principal">): string {
  return principal === undefined ? server : `${server} (${principal})`;
}

/** Until when, in words: `until 2026-11-23 06:50 UTC (58 min), renewed by itself`. */
export function describeEnd({ expiresAt, renews }: AccountFacts, now: number): string {
  const end = expiresAt === undefined ? undefined : Date.parse(expiresAt);
  const at = expiresAt === undefined ? "" : `${expiresAt.slice(0, 16).replace("T", " ")} UTC`;
  const left = end === undefined || end <= now ? undefined : `until ${at} (${formatDuration(end - now)})`;
  if (renews === true) return left === undefined ? "renewed by itself" : `${left}, renewed by itself`;
  if (end === undefined) return renews === undefined ? "" : "until the server ends it";
  return left ?? `since ${at}`;
}
