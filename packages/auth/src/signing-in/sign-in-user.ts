import type { HostsideError } from "@hostside/core";
import { isLoopbackUrl, untilAborted } from "@hostside/core/implement";
import type { Account } from "../account.ts";
import { abortError, authRequired, isNotShown, serverError } from "../auth-errors.ts";
import type { AuthParts } from "../auth-parts.ts";
import { becomeClient } from "../clients/become-client.ts";
import { clientKey, forgetClient, readClient } from "../clients/client-documents.ts";
import { discoverForSignIn } from "../discovering/ask-server.ts";
import type { Discovered } from "../discovering/discover-authorization.ts";
import type { OAuthPrompt, RedirectListener, RedirectReceiver } from "../oauth-options.ts";
import type { PendingAuthorization, SignedIn } from "../oauth.ts";
import { readAccount } from "../accounts/account-documents.ts";
import { sameIssuer } from "../accounts/authorizations.ts";
import { chooseScope, assertUsableForUsers, openAuthorization } from "./open-authorization.ts";
import type { AuthorizationCompletion } from "./complete-authorization.ts";
import { pendingKey } from "./pending-documents.ts";
import { waitForUser } from "./wait-for-user.ts";

/** A request for a sign-in. */
export interface SignInRequest {
  readonly scopes?: readonly string[] | undefined;
  /** The grant is not enough. */
  readonly needsMore?: boolean | undefined;
  /** In place of that of all. */
  readonly prompt?: OAuthPrompt | undefined;
  readonly signal: AbortSignal;
}

/** The parts that sign-ins of a process share. */
export interface Company {
  /**
   * Waits for `complete()` in this process with this `state`. Called right before a page is shown.
   */
  readonly expect: (state: string) => {
    readonly answer: Promise<AuthorizationCompletion>;
    readonly end: () => void;
  };
  readonly redeem: (callbackUrl: URL | string) => Promise<AuthorizationCompletion>;
}

/** The way back for users: to a page of the product's own, or to who listens. */
interface Return {
  readonly page?: string | undefined;
  readonly receiver?: RedirectReceiver | undefined;
  readonly preferred?: string | undefined;
}

/**
 * The first half of a sign-in: finds out where to, becomes a client, and keeps what the answer is
 * redeemed with.
 */
export async function beginAuthorization(
  parts: AuthParts,
  account: Account,
  requested: SignInRequest,
): Promise<PendingAuthorization> {
  const way = returnOf(parts, account);
  if (way.page === undefined) {
    throw unsupported(
      account,
      "begin() needs a page of the product's own that users are sent back to (redirect, or redirectUri of the client)",
    );
  }
  const discovered = await discoverForUsers(parts, account, requested);
  const { pending } = await open(parts, account, { discovered, requested, redirectUri: way.page });
  return pending;
}

/**
 * Signs a user in: shows the page, waits for the answer, redeems it. Twice if the first answer
 * shows that the client is not known any more.
 */
export async function signInUser(
  parts: AuthParts,
  account: Account,
  { requested, company }: { readonly requested: SignInRequest; readonly company: Company },
): Promise<SignedIn> {
  const { prompt = parts.settings.prompt } = requested;
  if (prompt === undefined) {
    throw unsupported(
      account,
      "no prompt callback installed: there is nobody to show the authorization page to; give createOAuth() a prompt, or use begin() and complete()",
    );
  }
  const way = returnOf(parts, account);
  const discovered = await discoverForUsers(parts, account, requested);
  for (let attempt = 1; ; attempt += 1) {
    const { completion, isKept } = await askOnce(parts, account, { requested, company, prompt, way, discovered });
    if (completion.failure === undefined) return completion.signedIn;
    const isWorthIt = completion.isUnknownClient && isKept && attempt === 1;
    if (!isWorthIt) throw completion.failure;
  }
}

interface Attempt {
  readonly requested: SignInRequest;
  readonly company: Company;
  readonly prompt: OAuthPrompt;
  readonly way: Return;
  readonly discovered: Discovered;
}

// `isKept`: whether the client is one of an earlier sign-in.
async function askOnce(parts: AuthParts, account: Account, attempt: Attempt) {
  const { requested, company, prompt, way, discovered } = attempt;
  const { signal } = requested;
  const listener = await listen(parts, account, attempt);
  let isDone = false;
  // Whether it can still be answered, by who opens the page by hand.
  let isOpen = false;
  try {
    const redirectUri = listener?.redirectUri ?? way.page ?? "";
    const { pending, isKept, clientId } = await open(parts, account, { discovered, requested, redirectUri });
    const elsewhere = company.expect(pending.state);
    let isAnswered = false;
    const complete = (callbackUrl: URL | string): Promise<AuthorizationCompletion> => {
      isAnswered = true;
      return company.redeem(callbackUrl);
    };
    const wait = { pending, prompt, listener, elsewhere: elsewhere.answer, complete, signal };
    try {
      const completion = await waitForUser(account, wait);
      isDone = completion.failure === undefined;
      return { completion, isKept };
    } catch (error) {
      isOpen = isNotShown(error);
      // A page from which nobody comes back, or at which the user gives up, may be one that says
      // that the client is not known.
      if (isKept && !isAnswered && !isOpen) {
        await forgetClient(parts, account, { issuer: discovered.issuer, redirectUri, clientId }).catch(() => {});
      }
      if (signal.aborted) throw abortError(signal, account, "signing in");
      throw error;
    } finally {
      elsewhere.end();
      if (!isDone && !isOpen) await parts.store.clear(pendingKey(pending.state)).catch(() => false);
    }
  } finally {
    await listener?.close(isDone ? "signed-in" : "failed").catch(() => {});
  }
}

async function listen(
  parts: AuthParts,
  account: Account,
  { way, discovered, requested }: Attempt,
): Promise<RedirectListener | undefined> {
  if (way.receiver === undefined) return undefined;
  const { serverId, title } = account;
  const { signal } = requested;
  const known = await readClient(parts, account, clientKey(discovered.issuer, undefined));
  const places = { redirectUri: way.preferred, preferredUri: known?.redirectUri };
  const listening = way.receiver.listen({ serverId, title, signal, ...places });
  try {
    const listener = await untilAborted(listening, signal);
    if (way.preferred !== undefined) assertListensAt(account, listener, way.preferred);
    return listener;
  } catch (error) {
    void listening.then((late) => late.close("failed")).catch(() => {});
    if (signal.aborted) throw abortError(signal, account, "signing in");
    throw error;
  }
}

// An authorization server has nobody come to another place than the client is registered with, but
// for the port of an application (RFC 8252, 7.3).
function assertListensAt(account: Account, { redirectUri }: RedirectListener, configured: string): void {
  const [actual, wanted] = [new URL(redirectUri), new URL(configured)];
  const isPort = wanted.port === "" || wanted.port === actual.port;
  if (isPort && wanted.hostname === actual.hostname && wanted.pathname === actual.pathname) return;
  throw authRequired(
    account,
    `its client is registered with the redirect URI ${configured}, and the redirect of createOAuth() listens at ${redirectUri} alone: it has to listen where the client is registered`,
  );
}

async function discoverForUsers(parts: AuthParts, account: Account, { signal }: SignInRequest): Promise<Discovered> {
  const discovered = await discoverForSignIn(parts, account, signal);
  assertUsableForUsers(account, discovered);
  return discovered;
}

async function open(
  parts: AuthParts,
  account: Account,
  {
    discovered,
    requested,
    redirectUri,
  }: { readonly discovered: Discovered; readonly requested: SignInRequest; readonly redirectUri: string },
) {
  const { scopes, needsMore, signal } = requested;
  const stored = await readAccount(parts, account);
  const granted = stored !== undefined && sameIssuer(stored.issuer, discovered.issuer) ? stored.scope : undefined;
  const scope = chooseScope(account, discovered, { scopes, needsMore, granted });
  const { client, isKept } = await becomeClient(parts, account, { discovered, redirectUri, scope, signal });
  const pending = await openAuthorization(parts, account, { discovered, client, redirectUri, scope, signal });
  return { pending, isKept, clientId: client.clientId };
}

function returnOf({ settings }: AuthParts, account: Account): Return {
  const { config } = account;
  const own = "redirectUri" in config ? config.redirectUri : undefined;
  const { receiver, redirectUri } = settings;
  const isListened = receiver !== undefined && (own === undefined || isLoopbackUrl(new URL(own)));
  if (isListened) return { receiver, preferred: own };
  const page = own ?? redirectUri;
  if (page !== undefined) return { page };
  throw unsupported(
    account,
    "there is nowhere to send users back to: give createOAuth() a redirect, such as loopbackRedirect() of @hostside/auth/node",
  );
}

function unsupported(account: Account, text: string): HostsideError {
  return serverError(account, text, { code: "unsupported_operation" });
}
