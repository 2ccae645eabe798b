import type { Account } from "../account.ts";
import type { Discovered } from "../discovering/discover-authorization.ts";
import { joinScopes } from "../discovering/scopes.ts";
import { listOf } from "../discovering/server-metadata.ts";

/** What a sign-in asks for beside what the server names. */
export interface ScopeRequest {
  /** The caller's. */
  readonly scopes?: readonly string[] | undefined;
  /** What is granted is not enough: then that is asked for as well, lest it be lost (SEP-2350). */
  readonly needsMore?: boolean | undefined;
  /** What is granted. */
  readonly granted?: string | undefined;
}

/**
 * What is asked for: what is configured, else what the server's refusals named, else what its
 * metadata list; and `offline_access` where the authorization server lists that, for without it
 * some give no refresh token. `undefined`: what the authorization server grants by itself.
 */
export function chooseScope(account: Account, discovered: Discovered, requested: ScopeRequest): string | undefined {
  const { config, hints } = account;
  const { scopes = [], needsMore = false, granted } = requested;
  const usual = config.scopes?.join(" ") ?? hints.scope ?? discovered.scopes.join(" ");
  const wanted = joinScopes(usual, ...(needsMore ? [hints.scope, granted] : []), scopes.join(" "));
  const offline = "offline_access";
  const isOffered = listOf(discovered.metadata, "scopes_supported")?.includes(offline) === true;
  // Alone it would stand in place of what is granted by default.
  return wanted !== undefined && isOffered ? joinScopes(wanted, offline) : wanted;
}
