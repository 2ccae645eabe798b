import type { AuthorizationFetch, ServerSpec } from "@hostside/core";
import type { SecretMemory, EventSource } from "@hostside/core/implement";
import type { AuthorizationCodeConfig, ClientConfig } from "./oauth-options.ts";
import type { AccountOwner, PendingAuthorization, SignedIn } from "./oauth.ts";
import type { OAuthSettings } from "./read-oauth-options.ts";
import type { CredentialStore } from "./store/credential-store.ts";

/**
 * One principal at one server: whose credentials. The same object for the same two as long as the
 * server's URL is the same.
 */
export interface Account {
  readonly serverId: string;
  /** The server's title in the host's words; its id when it has none. */
  readonly title: string;
  readonly serverUrl: URL;
  readonly principal: string | undefined;
  readonly config: ClientConfig;
  /** Whether `authorize()` can show a user the authorization page. */
  readonly hasPrompt: boolean;
  /**
   * The latest that a connector gave, or that of the options. Ends with `close()`, and learns the
   * secrets that pass.
   */
  readonly fetch: AuthorizationFetch;
  /** Every secret that passed, so that none is in a text. */
  readonly secrets: SecretMemory;
  /** Hints from the server's refusals. */
  readonly hints: AccountHints;
}

/** Facts from a server's own refusals, from the latest connection on. */
interface AccountHints {
  /** Place of its metadata (RFC 9728), as it says; untrusted. */
  metadataUrl: string | undefined;
  /** Scopes that it asked for so far, all together. */
  scope: string | undefined;
  /** True if it wants tokens that are bound to a key (RFC 9449). */
  dpop: boolean;
  /** True if it has refused anything, whatever it said. */
  isHeard?: boolean | undefined;
  /** A client that its authorization server does not know any more: not to be used again. */
  refusedClientId?: string | undefined;
}

/** Keeps a value for each account, made at its first use. */
export function perAccount<Value>(create: () => Value): (account: Account) => Value {
  const values = new WeakMap<Account, Value>();
  return (account) => {
    const known = values.get(account);
    if (known !== undefined) return known;
    const value = create();
    values.set(account, value);
    return value;
  };
}

// Who has more in use at a time gets a new object for the one that was not used longest, and loses
// what its refusals said.
const mostAccounts = 10_000;

/** Puts a value at the end of those that are kept, and drops the oldest of more than `most`. */
export function useLast<Value>(
  values: Map<string, Value>,
  [key, value]: readonly [string, Value],
  most: number = mostAccounts,
): void {
  values.delete(key);
  values.set(key, value);
  for (const oldest of values.keys()) {
    if (values.size <= most) break;
    values.delete(oldest);
  }
}

/** The configuration of a client that signs in without a user. */
export type GrantConfig = Exclude<ClientConfig, AuthorizationCodeConfig>;

/** Tells whether a client signs in without a user. */
export function isGrantConfig(config: ClientConfig): config is GrantConfig {
  return config.flow !== undefined && config.flow !== "authorization_code";
}

/** Tells whether an account is that of a program, which signs in without a user. */
export function isProgram({ config }: Account): boolean {
  return isGrantConfig(config);
}

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
