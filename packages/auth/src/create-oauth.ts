import { assertServerSpec, HostsideError, type ServerSpec } from "@hostside/core";
import {
  assertKnownOptions,
  assertSignal,
  createBoundedFetch,
  createEvent,
  isPlainObject,
  kindOf,
} from "@hostside/core/implement";
import type { AuthParts, Account } from "./account.ts";
import { areScopes, readOAuthOptions } from "./read-oauth-options.ts";
import { createAccounts, fetchFor, principalOf } from "./create-accounts.ts";
import { serverCredentialsOf } from "./credentials/create-server-credentials.ts";
import { discoverUrl, discoverAuthorization } from "./discovering/discover-authorization.ts";
import type { OAuthOptions } from "./oauth-options.ts";
import type { AccountOwner, AuthorizeOptions, DiscoveredAuthorization, OAuth, SignedIn } from "./oauth.ts";
import { createSigningIn } from "./signing-in/create-signing-in.ts";
import { settleInTurns } from "./settle-in-turns.ts";
import { clearKept, listAccounts, signOutKept } from "./signing-out/sign-out.ts";
import { settleRenewals } from "./tokens/renew.ts";
import { longestAnswerMs } from "./tokens/request-tokens.ts";
import { clientKey } from "./clients/become-client.ts";
import { savingMs } from "./store/credential-store.ts";
import { readAccount } from "./accounts/account-documents.ts";

/**
 * Signs users and programs in to servers, and keeps them signed in. Nothing happens by making one:
 * no request, no file, no page.
 *
 * Throws a `TypeError` for an option that is unknown or cannot be used, such as a blank client id
 * or a redirect URI over plain `http:`.
 *
 * @example
 * const oauth = createOAuth({ redirect: loopbackRedirect(), prompt: openBrowser() });
 * const connector = createConnector({ authProvider: oauth.authProvider });
 * await oauth.authorize({ id: "issues", url: "https://issues.example.com/mcp", auth: "oauth" });
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
  const ledgers: Ledgers = { redeeming: new Set(), unsaved: new Set(), begun: new Set() };
  const parts: AuthParts = {
    settings,
    store: settings.store,
    accountOf: (server, principal) => accounts.accountOf(server, principal),
    ...events,
    ...ledgers,
    closing,
    signInAfterRefusal: (account, refusal) => signingIn.signInAfterRefusal(account, refusal),
  };
  const signingIn = createSigningIn(parts);
  const read = (operation: string, given: unknown, known: Known): ReadOptions => {
    const checked = readOptions(operation, given, known);
    closing.throwIfAborted();
    return checked;
  };
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
    async authorize(server, given) {
      const { principal, ...requested } = read("authorize()", given, { ...signInFields, prompt: true });
      return signingIn.authorize(accounts.accountOf(server, principal), requested);
    },
    async begin(server, given) {
      const { principal, ...requested } = read("begin()", given, signInFields);
      return signingIn.begin(accounts.accountOf(server, principal), requested);
    },
    async complete(callbackUrl, given) {
      return signingIn.complete(callbackUrl, read("complete()", given, endedFields));
    },
    async cancel(serverId, given) {
      return signingIn.cancel(serverId, read("cancel()", given, { principal: true }).principal);
    },
    async discover(server, given) {
      return discoverFor(parts, server, read("discover()", given, { signal: true }).signal);
    },
    async signOut(serverId, given) {
      const { principal, signal } = read("signOut()", given, endedFields);
      return signOutKept(parts, accounts, { serverId, principal, signal });
    },
    async clear(serverId, principal) {
      closing.throwIfAborted();
      return clearKept(parts, accounts, { serverId, principal });
    },
    async forgetClient(server, given) {
      const { principal, signal } = read("forgetClient()", given, endedFields);
      return forgetClients(parts, accounts.accountOf(server, principal), signal);
    },
    async list() {
      closing.throwIfAborted();
      return listAccounts(parts);
    },
    async reload(given) {
      const { principal } = read("reload()", given, { principal: true });
      await settleInTurns(accounts.of(principal), (account) => readAccount(parts, account));
    },
    onSignedIn: events.signedIn.on,
    onSignedOut: events.signedOut.on,
    close: end,
    [Symbol.asyncDispose]: end,
  };
}

type Ledgers = Pick<AuthParts, "begun" | "redeeming" | "unsaved">;
type Known = { readonly [Option in keyof AuthorizeOptions]?: true };
const endedFields: Known = { principal: true, signal: true };
const signInFields: Known = { ...endedFields, scopes: true };

interface ReadOptions extends AuthorizeOptions {
  readonly principal: string | undefined;
  readonly signal: AbortSignal;
}

function readOptions(operation: string, given: unknown = {}, known: Known): ReadOptions {
  assertKnownOptions(operation, given, known);
  const options = given as AuthorizeOptions;
  const { scopes, signal = new AbortController().signal } = options;
  if (scopes !== undefined && !areScopes(scopes)) {
    throw new TypeError("scopes must be an array of scopes (RFC 6749, 3.3), each without white space");
  }
  assertSignal(signal);
  return { ...options, principal: principalOf(options), signal };
}

function discoverFor(parts: AuthParts, server: unknown, signal: AbortSignal): Promise<DiscoveredAuthorization | null> {
  const { settings, closing } = parts;
  const { fetch, guard } = settings;
  const spec = specOf(server);
  // What is found out here is no hint for any other account.
  const account = createAccounts(settings, closing).accountOf(spec, undefined);
  const fetchHead = createBoundedFetch({
    fetch: fetchFor(fetch, spec),
    guard,
    closing,
    server: { serverId: spec.id },
    reads: "head",
  });
  return discoverUrl({ account, fetchHead, signal }, parts);
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

/**
 * Forgets the clients of an account: at the issuer of its sign-in, or else at the one that its
 * server names.
 */
async function forgetClients(parts: AuthParts, account: Account, signal: AbortSignal): Promise<boolean> {
  const stored = await readAccount(parts, account).catch(() => undefined);
  const { issuer } = stored ?? (await discoverAuthorization(account, parts, { signal }));
  const { redirectUri } = parts.settings;
  const keys = [clientKey(issuer, undefined), ...(redirectUri === undefined ? [] : [clientKey(issuer, redirectUri)])];
  const forgotten = keys.map((key) => parts.store.withLock(key, savingMs, () => parts.store.clear(key)));
  return (await Promise.all(forgotten)).some(Boolean);
}
