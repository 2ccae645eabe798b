import { clock, quoteText, untilAborted } from "@hostside/core/implement";
import { serverError } from "../auth-errors.ts";
import type { AuthParts } from "../auth-parts.ts";
import { choosesDpop, readTokenType, type DpopServer } from "../dpop/choose-dpop.ts";
import { dpopOf } from "../dpop/dpop-signer.ts";
import { authenticateClient, noClient } from "../clients/authenticate-client.ts";
import { coversScopes } from "../discovering/read-challenges.ts";
import type { StoredAuthorization, StoredClient } from "../accounts/stored-account.ts";
import { accountKey, readAccount, writeAccount, type DocumentParts } from "../accounts/account-documents.ts";
import { sameIssuer, tokenExpiryOf, toStoredAuthorization } from "../accounts/authorizations.ts";
import { requestTokens } from "../tokens/request-tokens.ts";
import { isGrantConfig, type Account, type GrantConfig } from "../account.ts";
import { describeGrant, type GrantContext } from "./describe-grant.ts";

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
  parts: Pick<AuthParts, "closing"> & DocumentParts,
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
    const wanted = { config, scope: names === "" ? undefined : names, refused };
    if (stored !== undefined && isOfUse(stored, wanted)) return stored;
    signal.throwIfAborted();
    const ending = AbortSignal.any([lease, parts.closing]);
    const fresh = await ask(account, { ...wanted, server, stored, signal: ending });
    await writeAccount(parts, account, fresh);
    return fresh;
  });
  return untilAborted(work, signal);
}

interface Wanted extends Pick<GrantRequest, "refused"> {
  readonly config: GrantConfig;
  readonly scope: string | undefined;
}

function isOfUse(stored: StoredAuthorization, { config, scope, refused }: Wanted): boolean {
  // Of a client that was configured before, or nobody wants it any more.
  if (stored.client.clientId !== clientOf(config).clientId || stored.accessToken === refused) return false;
  if (tokenExpiryOf(stored, clock.date()) !== "fresh") return false;
  // A server may grant less than it was asked for: then what somebody else got since is as good as
  // it gets.
  return refused !== undefined || coversScopes(stored.scope, scope);
}

interface Asked extends Wanted, Pick<GrantRequest, "server" | "signal"> {
  readonly stored: StoredAuthorization | undefined;
}

async function ask(account: Account, { config, server, stored, scope, signal }: Asked): Promise<StoredAuthorization> {
  const { issuer, metadata } = server;
  const resource = config.resource === false ? undefined : (config.resource ?? server.resource);
  const asked = choosesDpop(account, server);
  // With the same key the nonces of the MCP server hold on.
  const signer = asked ? await dpopOf(account, stored) : undefined;
  const context: GrantContext = { account, server, resource, scope, signal };
  const params = await describeGrant(config, context);
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
