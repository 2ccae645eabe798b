import type { ServerSpec } from "@hostside/core";
import type { EventSource } from "@hostside/core/implement";
import type { Account } from "./account.ts";
import type { AccountOwner, PendingAuthorization, SignedIn } from "./oauth.ts";
import type { OAuthSettings } from "./read-oauth-options.ts";
import type { CredentialStore } from "./store/credential-store.ts";

/** Parts that the whole package shares. */
export interface AuthParts {
  readonly settings: OAuthSettings;
  readonly store: CredentialStore;
  /**
   * The account of a server that is known by its spec, or by its id when a connector has asked
   * about it.
   */
  readonly accountOf: (server: ServerSpec | string, principal: string | undefined) => Account;
  readonly signedIn: EventSource<SignedIn>;
  readonly signedOut: EventSource<AccountOwner>;
  /** Refresh tokens that are being redeemed. */
  readonly redeeming: Set<Promise<unknown>>;
  /** Accounts whose latest tokens could not be saved so far. */
  readonly unsaved: Set<Account>;
  /** Authorizations that this process began, for `cancel()`. */
  readonly begun: Set<PendingAuthorization>;
  /** Aborts with `close()`. */
  readonly closing: AbortSignal;
  /**
   * Signs in because the server refused a request while a user waits for it: at most three times in
   * ten minutes for an account, because a server that refuses whatever it is given would otherwise
   * send the user to the browser for ever. A sign-in that is under way is waited for. Once the
   * page is shown it is waited for by itself: the user may still be typing, and who asks again
   * joins them or finds the tokens.
   */
  readonly signInAfterRefusal: (account: Account, refusal: RefusedSignIn) => Promise<SignedIn>;
}

/** The reason for another sign-in. */
export interface RefusedSignIn {
  /** The grant is not enough: ask for it again, with the scopes that the server wants beside it. */
  readonly needsMore: boolean;
  /** Ends the wait; no page is shown after it. */
  readonly signal: AbortSignal;
}
