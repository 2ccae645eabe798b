import type { ServerSpec } from "@hostside/core";
import type { EventSource } from "@hostside/core/implement";
import type { Account } from "./account.ts";
import type { AccountOwner, SignedIn } from "./oauth.ts";
import type { OAuthSettings } from "./read-oauth-options.ts";
import type { CredentialStore } from "./store/credential-store.ts";

/** What all of the package works with. */
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
  /** Aborts with `close()`. */
  readonly closing: AbortSignal;
  /**
   * Signs in because the server refused a request while a user waits for it: at most three times in
   * ten minutes for an account, because a server that refuses whatever it is given would otherwise
   * send the user to the browser for ever. Who is signing in to it already is waited for. Once the
   * page is shown it is waited for by itself: the user may still be typing, and who asks again
   * joins them or finds the tokens.
   */
  readonly signInAfterRefusal: (account: Account, refusal: RefusedSignIn) => Promise<SignedIn>;
  /** Whether somebody is signing in to it in this process. */
  readonly isSigningIn: (account: Account) => boolean;
}

/** Why somebody has to sign in again. */
export interface RefusedSignIn {
  /** What is granted is not enough: ask for that, and for what the server wants beside it. */
  readonly needsMore: boolean;
  /** Ends the wait; no page is shown after it. */
  readonly signal: AbortSignal;
}
