import { assertServerSpec, HostsideError, type ServerSpec } from "@hostside/core";
import {
  assertKnownOptions,
  assertSignal,
  createEvent,
  isPlainObject,
  kindOf,
  type Fields,
} from "@hostside/core/implement";
import type { AuthParts } from "./auth-parts.ts";
import { createAccounts, fetchFor, principalOf, type Accounts } from "./create-accounts.ts";
import { serverCredentialsOf } from "./credentials/create-server-credentials.ts";
import { isScope } from "./discovering/read-challenges.ts";
import { discoverUrl } from "./discovering/ask-server.ts";
import { createBoundedFetch } from "./fetching/create-bounded-fetch.ts";
import type { OAuthOptions } from "./oauth-options.ts";
import type {
  AccountOptions,
  AccountOwner,
  AuthorizeOptions,
  DiscoveredAuthorization,
  OAuth,
  SignedIn,
  SignInOptions,
  SignOutOptions,
} from "./oauth.ts";
import { readOAuthOptions } from "./read-oauth-options.ts";
import { createSigningIn } from "./signing-in/create-signing-in.ts";
import type { SignInRequest } from "./signing-in/sign-in-user.ts";
import { settleInTurns } from "./settle-in-turns.ts";
import { createSigningOut } from "./signing-out/create-signing-out.ts";
import { settleRenewals } from "./tokens/renew.ts";
import { longestAnswerMs } from "./tokens/request-tokens.ts";
import type { Account } from "./account.ts";
import { clientKey } from "./clients/client-documents.ts";
import { discoverAuthorization } from "./discovering/discover-authorization.ts";
import { savingMs } from "./store/credential-store.ts";
import { readAccount } from "./accounts/account-documents.ts";

const signInFields: Fields<SignInOptions> = { principal: true, signal: true, scopes: true };
const authorizeFields: Fields<AuthorizeOptions> = { ...signInFields, prompt: true };
const accountFields: Fields<AccountOptions> = { principal: true };
const signOutFields: Fields<SignOutOptions> = { principal: true, signal: true };
const signalFields = { signal: true } as const;

/**
 * Signs users and programs in to servers, and keeps them signed in. Nothing happens by making one:
 * no request, no file, no page.
 *
 * Throws a `TypeError` for an option that is unknown or cannot be used, such as a blank client id
 * or a redirect URI over plain `http:`.
 */
export function createOAuth(options: OAuthOptions = {}): OAuth {
  const settings = readOAuthOptions(options);
  const close = new AbortController();
  const closing = close.signal;
  // Requests end after what is under way, because the answer to one may be the only copy of
  // somebody's tokens.
  const ended = new AbortController();
  const accounts = createAccounts(settings, ended.signal);
  const events = { signedIn: createEvent<SignedIn>(), signedOut: createEvent<AccountOwner>() };
  const parts: AuthParts = {
    settings,
    store: settings.store,
    clock: settings.clock,
    accountOf: (server, principal) => accounts.accountOf(server, principal),
    ...events,
    closing,
    signInAfterRefusal: (account, refusal) => signingIn.signInAfterRefusal(account, refusal),
    isSigningIn: (account) => signingIn.isUnderWay(account),
  };
  const signingIn = createSigningIn(parts);
  const signingOut = createSigningOut(parts, accounts);
  const end = async (): Promise<void> => {
    close.abort(new HostsideError("the sign-in was closed", { code: "closed" }));
    for (const event of Object.values(events)) event.close();
    await Promise.all([signingIn.settled(), settleRenewals(parts, longestAnswerMs)]);
    ended.abort(closing.reason);
  };
  return {
    authProvider(spec, request) {
      if (spec.url === undefined || spec.auth !== "oauth") return undefined;
      closing.throwIfAborted();
      return serverCredentialsOf(parts, accounts.connect(spec, request));
    },
    async authorize(server, options) {
      const { requested, principal } = readWish(options, authorizeFields);
      closing.throwIfAborted();
      return signingIn.authorize(accounts.accountOf(server, principal), requested);
    },
    async begin(server, options) {
      const { requested, principal } = readWish(options);
      closing.throwIfAborted();
      return signingIn.begin(accounts.accountOf(server, principal), requested);
    },
    async complete(callbackUrl, options = {}) {
      assertKnownOptions("complete()", options, signOutFields);
      closing.throwIfAborted();
      return signingIn.complete(callbackUrl, { principal: principalOf(options), signal: signalOf(options) });
    },
    async cancel(serverId, options = {}) {
      assertKnownOptions("cancel()", options, accountFields);
      closing.throwIfAborted();
      return signingIn.cancel(serverId, options.principal);
    },
    discover: async (server, options) => discoverFor(parts, server, options),
    async signOut(serverId, options = {}) {
      assertKnownOptions("signOut()", options, signOutFields);
      closing.throwIfAborted();
      return signingOut.signOut({ serverId, principal: options.principal }, signalOf(options));
    },
    async clear(serverId, principal) {
      closing.throwIfAborted();
      return signingOut.clear({ serverId, principal });
    },
    async forgetClient(server, options = {}) {
      assertKnownOptions("forgetClient()", options, signOutFields);
      closing.throwIfAborted();
      return forgetClients(parts, accounts.accountOf(server, options.principal), signalOf(options));
    },
    async list() {
      closing.throwIfAborted();
      return signingOut.list();
    },
    reload: async (options) => reloadAccounts(parts, accounts, options),
    onSignedIn: events.signedIn.on,
    onSignedOut: events.signedOut.on,
    close: end,
    [Symbol.asyncDispose]: end,
  };
}

function discoverFor(
  parts: AuthParts,
  server: unknown,
  options: Pick<SignInOptions, "signal"> = {},
): Promise<DiscoveredAuthorization | null> {
  const { settings, closing } = parts;
  assertKnownOptions("discover()", options, signalFields);
  closing.throwIfAborted();
  const signal = signalOf(options);
  const { fetch, guard, clock } = settings;
  const spec = specOf(server);
  // Nobody's: what is found out here is nobody else's hint.
  const account = createAccounts(settings, closing).accountOf(spec, undefined);
  const fetchHead = createBoundedFetch({
    fetch: fetchFor(fetch, spec),
    guard,
    clock,
    closing,
    server: { serverId: spec.id },
    reads: "head",
  });
  return discoverUrl({ account, fetchHead, signal }, parts);
}

function readWish(
  options: AuthorizeOptions = {},
  fields: Readonly<Record<string, true>> = signInFields,
): { readonly requested: SignInRequest; readonly principal: string | undefined } {
  assertKnownOptions("options", options, fields);
  const { principal, scopes, prompt } = options;
  if (prompt !== undefined && typeof prompt !== "function") {
    throw new TypeError(`prompt must be a function, not ${kindOf(prompt)}`);
  }
  if (
    scopes !== undefined &&
    !(Array.isArray(scopes) && scopes.every((scope) => typeof scope === "string" && isScope(scope)))
  ) {
    throw new TypeError("scopes must be an array of scopes (RFC 6749, 3.3), each without white space");
  }
  return { requested: { scopes, prompt, signal: signalOf(options) }, principal };
}

function signalOf({ signal }: Pick<SignInOptions, "signal">): AbortSignal {
  if (signal === undefined) return new AbortController().signal;
  assertSignal(signal);
  return signal;
}

// The id is for messages alone.
function specOf(url: unknown): ServerSpec {
  if (isPlainObject(url)) {
    assertServerSpec(url);
    return url;
  }
  if (!(url instanceof URL) && typeof url !== "string") throw new TypeError(`url must be a URL, not ${kindOf(url)}`);
  const text = String(url);
  if (!URL.canParse(text)) throw new TypeError("url must be an absolute URL");
  return { id: new URL(text).origin, type: "http", url: text, auth: "oauth" };
}

async function reloadAccounts(parts: AuthParts, accounts: Accounts, options: AccountOptions = {}): Promise<void> {
  assertKnownOptions("reload()", options, accountFields);
  parts.closing.throwIfAborted();
  await settleInTurns(accounts.of(principalOf(options)), (account) => readAccount(parts, account));
}

/**
 * Forgets the clients of an account: at the issuers of its sign-ins, or else at the one that its
 * server names.
 */
async function forgetClients(parts: AuthParts, account: Account, signal: AbortSignal): Promise<boolean> {
  const stored = await readAccount(parts, account).catch(() => undefined);
  const issuers = stored?.authorizations.map(({ issuer }) => issuer) ?? [
    (await discoverAuthorization(account, parts, { signal })).issuer,
  ];
  const { redirectUri } = parts.settings;
  const forgotten = issuers
    .flatMap((issuer) => [
      clientKey(issuer, undefined),
      ...(redirectUri === undefined ? [] : [clientKey(issuer, redirectUri)]),
    ])
    .map((key) => parts.store.withLock(key, savingMs, () => parts.store.clear(key)));
  return (await Promise.all(forgotten)).some(Boolean);
}
