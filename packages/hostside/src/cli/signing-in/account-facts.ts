import type { SignedIn } from "@hostside/auth";

/** How somebody stands with a server. */
export type SignInState =
  /** A token is there that counts, or another one is had without a user. */
  | "signed-in"
  /** What is there counts no more. */
  | "expired"
  /** The server wants a sign-in, and there is none. */
  | "signed-out"
  /** The server lets everybody in, or its entry has credentials of its own. */
  | "not-needed"
  /** It could not be asked. */
  | "unknown";

/** A server and whoever is signed in there: what `--json` has. No secret is in it. */
export interface AccountFacts {
  readonly server: string;
  readonly state: SignInState;
  /** Whether the configuration has the server. */
  readonly configured: boolean;
  readonly principal?: string | undefined;
  readonly issuer?: string | undefined;
  readonly url?: string | undefined;
  readonly clientId?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
  /** ISO 8601. */
  readonly expiresAt?: string | undefined;
  readonly renews?: boolean | undefined;
  /** Why it is not known, or what to do. */
  readonly note?: string | undefined;
}

/** What is known of a sign-in at a moment, in milliseconds since 1970. */
export function describeAccount(account: SignedIn, configured: boolean, now: number): AccountFacts {
  const { serverId, principal, issuer, serverUrl, clientId, scopes, expiresAt, renews, current } = account;
  return {
    server: serverId,
    state: isGood(account, now) ? "signed-in" : "expired",
    configured,
    ...(principal !== undefined && { principal }),
    issuer,
    url: serverUrl,
    clientId,
    scopes,
    ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt).toISOString() }),
    renews,
    ...(!current && { note: "of an authorization server that the server does not name any more" }),
  };
}

/** Whether a sign-in lets in without a user. */
export function isGood({ expiresAt, renews, current }: SignedIn, now: number): boolean {
  return current && (renews || expiresAt === undefined || expiresAt > now);
}
