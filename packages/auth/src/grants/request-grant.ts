import { clock, quoteText, untilAborted, safeCause } from "@hostside/core/implement";
import { serverError, authRequired, withoutServerName } from "../auth-errors.ts";
import { type AuthParts, isGrantConfig, type Account, type GrantConfig } from "../account.ts";
import { choosesDpop, readTokenType, type DpopServer, dpopOf } from "../dpop/dpop.ts";
import { authenticateClient, noClient } from "../clients/authenticate-client.ts";
import { coversScopes } from "../discovering/read-challenges.ts";
import {
  type StoredAuthorization,
  type StoredClient,
  sameIssuer,
  tokenExpiryOf,
  toStoredAuthorization,
} from "../accounts/stored-account.ts";
import { accountKey, readAccount, writeAccount } from "../accounts/account-documents.ts";
import { requestTokens, type TokenParameters } from "../tokens/request-tokens.ts";
import type { EnterpriseManagedConfig, AssertionRequest } from "../oauth-options.ts";
import { isHostsideError, type HostsideError } from "@hostside/core";
import { readAuthorizationServer } from "../discovering/read-metadata.ts";
import { tooLate, withinTime } from "../within-time.ts";

// A question to the host, two requests to an identity provider and one to the authorization server,
// each of which has 30 s.
const leaseMs = 150_000;

/**
 * An authorization server and what it is to give a token for: what was discovered, or what was
 * stored.
 */
export interface GrantServer extends DpopServer {
  /**
   * The resource that the token is for (RFC 8707). Default: the server's URL, where the flow has to
   * name one.
   */
  readonly resource?: string | undefined;
  /** Scopes that the MCP server names; asked for when nothing else says what to ask for. */
  readonly scopes?: readonly string[] | undefined;
}

/** The wishes of a request for a grant. */
export interface GrantRequest {
  readonly server: GrantServer;
  /** Separated by spaces. Default: that of the configuration, then what the server names. */
  readonly scope?: string | undefined;
  /**
   * The access token that is not wanted any more: any other that is found is taken in place of a
   * new one.
   */
  readonly refused?: string | undefined;
  /** Ends the wait; what is asked for by then is saved all the same. */
  readonly signal: AbortSignal;
}

/**
 * Gets a token for a host that signs in as itself, and saves it: one at a time among all that share
 * the store, and whoever comes second takes what the first one got. The assertion of a flow is
 * asked for each time, and sent once. Not to be called by who has the account's lock.
 *
 * Rejects with `not_allowed`, and sends nothing, when the server names another authorization server
 * than the one that the client is configured for, or was used with so far; with `auth_required`
 * when the authorization server says no; with what the host's own function, the requests and the
 * store fail with; and with the reason of the signal.
 */
export async function requestGrant(
  parts: AuthParts,
  account: Account,
  { server, scope, refused, signal }: GrantRequest,
): Promise<StoredAuthorization> {
  const { config } = account;
  if (!isGrantConfig(config)) throw new TypeError("the client is not configured for a grant");
  signal.throwIfAborted();
  const work = parts.store.withLock(accountKey(account), leaseMs, async (lease) => {
    const kept = await readAccount(parts, account);
    assertOwnIssuer(account, kept, server);
    const stored = kept !== undefined && sameIssuer(kept.issuer, server.issuer) ? kept : undefined;
    const names = scope ?? config.scopes?.join(" ") ?? server.scopes?.join(" ");
    const wanted: Grant = {
      account,
      config,
      server,
      resource: config.resource === false ? undefined : (config.resource ?? server.resource),
      scope: names === "" ? undefined : names,
      signal: AbortSignal.any([lease, parts.closing]),
    };
    if (stored !== undefined && stored.accessToken !== refused && isOfUse(stored, wanted, refused)) return stored;
    signal.throwIfAborted();
    const fresh = await ask(wanted, stored);
    await writeAccount(parts, account, fresh);
    return fresh;
  });
  return untilAborted(work, signal);
}

/** A grant that is asked for. */
interface Grant {
  readonly account: Account;
  readonly config: GrantConfig;
  readonly server: DpopServer;
  readonly resource: string | undefined;
  readonly scope: string | undefined;
  readonly signal: AbortSignal;
}

function isOfUse(stored: StoredAuthorization, { config, scope }: Grant, refused: string | undefined): boolean {
  // Of a client that was configured before.
  if (stored.client.clientId !== clientOf(config).clientId) return false;
  if (tokenExpiryOf(stored, clock.date()) !== "fresh") return false;
  // A server may grant less than it was asked for: then what somebody else got since is as good as
  // it gets.
  return refused !== undefined || coversScopes(stored.scope, scope);
}

async function ask(grant: Grant, stored: StoredAuthorization | undefined): Promise<StoredAuthorization> {
  const { account, config, server, resource, scope, signal } = grant;
  const { issuer, metadata } = server;
  const asked = choosesDpop(account, server);
  // With the same key the nonces of the MCP server hold on.
  const signer = asked ? await dpopOf(account, stored) : undefined;
  const params = await describeGrant(grant);
  const client = clientOf(config);
  const authenticate = authenticateClient(account, client, { issuer, metadata });
  const assertWanted = (): void => signal.throwIfAborted();
  const endpoint = metadata.token_endpoint;
  const request = { account, endpoint, authenticate, signer, assertWanted };
  const tokens = await requestTokens(request, { ...params, scope, resource });
  const tokenType = readTokenType(account, { issuer, tokenType: tokens.tokenType, asked });
  const dpopKey = tokenType === "DPoP" ? signer?.key : undefined;
  // A grant is asked for again in place of being renewed.
  const given = { ...tokens, refreshToken: undefined };
  return toStoredAuthorization(given, { issuer, metadata, client, scope, resource, dpopKey });
}

// Never the secret: it is the configuration's, and may be another one tomorrow.
function clientOf({ clientId = noClient }: GrantConfig): StoredClient {
  return { clientId, way: "program" };
}

// Otherwise the MCP server would choose who gets the secret (SEP-2352).
function assertOwnIssuer(account: Account, kept: StoredAuthorization | undefined, { issuer }: GrantServer): void {
  const { config } = account;
  const own = config.issuer ?? kept?.issuer;
  if (own === undefined || sameIssuer(own, issuer)) return;
  const [theirs, ours] = [quoteText(issuer), quoteText(own)];
  const why =
    config.issuer === undefined
      ? `its credentials went to ${ours} so far; if it has moved, configure the client with the new issuer, or forget what is kept with clear()`
      : `its client is configured for ${ours}; if it has moved, change the client's issuer`;
  const text = `it names the authorization server ${theirs}, and ${why}. Nothing was sent to either`;
  throw serverError(account, text, { code: "not_allowed" });
}

/**
 * The parameters of the configured flow. Rejects with what the host's own function or the identity
 * provider fails with.
 */
async function describeGrant(grant: Grant): Promise<TokenParameters> {
  const { config } = grant;
  switch (config.flow) {
    case "client_credentials":
      return { grant_type: "client_credentials" };
    case "jwt_bearer":
      return bearing(await askHost(grant, "assertion", config.assertion));
    case "enterprise_managed": {
      const { identityProvider } = config;
      const idToken = await askHost(grant, "identityProvider.idToken", identityProvider.idToken);
      return bearing(await requestIdentityAssertion(identityProvider, idToken, grant));
    }
  }
}

// RFC 7523, 2.1.
function bearing(assertion: string): TokenParameters {
  return { grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion };
}

const answerMs = 30_000;

/**
 * Asks the host for an assertion, and waits 30 s for it. `option` is how an error names the
 * function. Rejects with `internal_error`, which names the server and the option, when the host's
 * function throws or gives no text, with `request_timeout` when it does not come back, and with the
 * reason of the signal.
 */
async function askHost(
  { account, server, resource, scope, signal }: Grant,
  option: string,
  ask: (request: AssertionRequest) => Promise<string> | string,
): Promise<string> {
  const { serverId, principal, secrets } = account;
  const subject = `the host's own ${option}()`;
  const onTimeout = (): HostsideError => tooLate(account, answerMs, `${subject} gave no assertion`);
  const fail = (what: string, cause?: Error): HostsideError => {
    const why = cause === undefined ? "" : `: ${cause.message}`;
    return serverError(account, `${subject} ${what}${why}`, { code: "internal_error", outcome: "not-sent", cause });
  };
  const asked = { issuer: server.issuer, resource, scope, serverId, principal };
  let answer: unknown;
  try {
    const limit = { timeoutMs: answerMs, signal, onTimeout };
    answer = await withinTime(limit, async (ending) => ask({ ...asked, signal: ending }));
  } catch (error) {
    if (signal.aborted || isHostsideError(error, "request_timeout")) throw error;
    throw fail("failed", safeCause(error, secrets.redact));
  }
  if (typeof answer !== "string" || answer.trim() === "") throw fail("gave no text");
  secrets.learn(answer);
  return answer;
}

/**
 * Exchanges a user's ID token for an assertion that the MCP server's authorization server takes
 * (RFC 8693, for an ID-JAG): at the enterprise's identity provider, whose token endpoint is found
 * out when it is not given. Rejects with what the identity provider says, and with `auth_required`
 * when it is not to be found.
 */
async function requestIdentityAssertion(
  identityProvider: EnterpriseManagedConfig["identityProvider"],
  idToken: string,
  { account, server, resource = account.serverUrl.href, scope, signal }: Grant,
): Promise<string> {
  const { clientId, clientSecret } = identityProvider;
  if (clientSecret !== undefined) account.secrets.learn(clientSecret);
  const endpoint = identityProvider.tokenEndpoint ?? (await findTokenEndpoint(identityProvider, account, signal));
  const assertWanted = (): void => signal.throwIfAborted();
  const { accessToken, issuedTokenType } = await requestTokens(
    { account, endpoint, assertWanted },
    {
      grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
      requested_token_type: idJag,
      audience: server.issuer,
      resource,
      subject_token: idToken,
      subject_token_type: "urn:ietf:params:oauth:token-type:id_token",
      client_id: clientId,
      client_secret: clientSecret,
      scope,
    },
  );
  if (issuedTokenType === idJag) return accessToken;
  throw authRequired(account, "the identity provider gave a token of another kind than an ID-JAG; it was not used");
}

const idJag = "urn:ietf:params:oauth:token-type:id-jag";

async function findTokenEndpoint(
  { issuer = "" }: EnterpriseManagedConfig["identityProvider"],
  account: Account,
  signal: AbortSignal,
): Promise<string> {
  const problem = (why: string, cause?: unknown): HostsideError =>
    authRequired(
      account,
      `the token endpoint of the identity provider ${quoteText(issuer)} was not found: ${why}; configure identityProvider.tokenEndpoint`,
      { cause },
    );
  let metadata;
  try {
    // The host's own configuration may name a provider on this machine.
    const trusting = { ...account, config: { ...account.config, issuer } };
    metadata = await readAuthorizationServer({ account: trusting, signal }, issuer);
  } catch (error) {
    const why = isHostsideError(error) ? withoutServerName(account.serverId, error.rawMessage) : "no reason given";
    throw problem(quoteText(why, 300), error);
  }
  if (metadata === undefined) throw problem("it publishes no metadata");
  return metadata.token_endpoint;
}
