import type { AuthorizationServerMetadata, DpopSession, OAuthClientProvider } from "@modelcontextprotocol/client";
import { ToolportError } from "@toolport/core";
import { quoteText } from "@toolport/core/implement";
import type { Account } from "../account.ts";
import type { AuthParts } from "../auth-parts.ts";
import { choosesDpop, readTokenType, type DpopServer } from "../dpop/choose-dpop.ts";
import { dpopOf } from "../dpop/dpop-signer.ts";
import { loadOAuth } from "../load-oauth.ts";
import type { StoredAccount, StoredAuthorization, StoredClient } from "../store/stored-account.ts";
import { readAccount } from "../tokens/account-documents.ts";
import { authorizationOf, sameIssuer } from "../tokens/authorizations.ts";
import { requestTokens } from "../tokens/request-tokens.ts";
import { toStoredAuthorization } from "../tokens/to-stored-authorization.ts";
import { isGrantConfig, type GrantConfig } from "./grant-config.ts";
import { describeGrant, type Grant } from "./describe-grant.ts";
import type { GrantContext } from "./grant-context.ts";

/** An authorization server and what it is to give a token for: what was discovered, or what was stored. */
export interface GrantServer extends DpopServer {
  /** What the token is for (RFC 8707). Default: the server's URL, where the flow has to name one. */
  readonly resource?: string | undefined;
  /** What the MCP server names; asked for when nothing else says what to ask for. */
  readonly scopes?: readonly string[] | undefined;
}

/** What is wanted of a grant. */
export interface GrantRequest {
  readonly server: GrantServer;
  /** Separated by spaces. Default: that of the configuration, then what the server names. */
  readonly scope?: string | undefined;
  /** Nothing is sent any more once it has aborted; what is under way goes on. */
  readonly signal: AbortSignal;
}

/**
 * Gets a token for a host that signs in as itself, by whatever flow the account is configured for. The assertion of a flow is asked for each time,
 * and sent once. Saves nothing, and takes no lock: whoever calls it does both, and keeps others from asking at the same time.
 *
 * Rejects with `not_allowed`, and sends nothing, when the server names another authorization server than the one that the client is
 * configured for, or was used with so far; with `auth_required` when the authorization server says no; with what the host's own function,
 * the requests and the store fail with; and with the reason of the signal.
 */
export async function requestGrant(
  parts: Pick<AuthParts, "clock" | "store">,
  account: Account,
  { server, scope, signal }: GrantRequest,
): Promise<StoredAuthorization> {
  const { config } = account;
  if (!isGrantConfig(config)) throw new TypeError("the client is not configured for a grant");
  signal.throwIfAborted();
  const document = await readAccount(parts, account);
  assertOwnIssuer(account, document, server);
  const wanted = scope ?? config.scopes?.join(" ") ?? server.scopes?.join(" ");
  // With the same key the nonces of the MCP server hold on.
  const stored = authorizationOf(document, server.issuer);
  return ask(parts, account, { config, server, stored, scope: wanted === "" ? undefined : wanted, signal });
}

interface Asked {
  readonly config: GrantConfig;
  readonly server: GrantServer;
  readonly stored: StoredAuthorization | undefined;
  readonly scope: string | undefined;
  readonly signal: AbortSignal;
}

async function ask(
  parts: Pick<AuthParts, "clock">,
  account: Account,
  { config, server, stored, scope, signal }: Asked,
): Promise<StoredAuthorization> {
  const { issuer, metadata } = server;
  const resource = config.resource ?? server.resource;
  const asked = choosesDpop(account, server);
  const signer = asked ? await dpopOf(account, stored) : undefined;
  const context: GrantContext = { parts, account, server, resource, scope, signal };
  const grant = await describeGrant(config, context);
  const oauth = await loadOAuth();
  const request = { account, clock: parts.clock, assertWanted: () => signal.throwIfAborted() };
  const answer = await requestTokens(request, (fetchFn) =>
    oauth.fetchToken(providerOf(grant, issuer, signer?.session), issuer, {
      metadata: toSdkMetadata(metadata),
      fetchFn,
      ...(resource !== undefined && { resource }),
    }),
  );
  const tokenType = readTokenType(account, { issuer, tokenType: answer.token_type, asked });
  // A grant is asked for again in place of being renewed.
  const { refresh_token: _, ...given } = answer;
  const isBound = tokenType === "DPoP" && signer !== undefined;
  const origin = {
    issuer,
    metadata,
    client: clientOf(config),
    scope,
    resource,
    ...(isBound && { dpopKey: signer.key }),
  };
  return toStoredAuthorization(given, origin, parts.clock);
}

// The SDK's functions for single requests take the whole shape of its providers, and use what a grant needs of it.
function providerOf(
  { params, authenticate }: Grant,
  issuer: string,
  dpop: DpopSession | undefined,
): OAuthClientProvider {
  const unused = (): never => {
    throw new TypeError("no user takes part in a grant");
  };
  return {
    redirectUrl: undefined,
    clientMetadata: { redirect_uris: [] },
    clientInformation: () => ({ client_id: "", issuer }),
    tokens: unused,
    saveTokens: unused,
    redirectToAuthorization: unused,
    saveCodeVerifier: unused,
    codeVerifier: unused,
    prepareTokenRequest: () => params,
    addClientAuthentication: authenticate,
    ...(dpop !== undefined && { dpop: () => dpop }),
  };
}

// Neither is for a grant; the type of the SDK wants both.
function toSdkMetadata(metadata: DpopServer["metadata"]): AuthorizationServerMetadata {
  return { response_types_supported: [], authorization_endpoint: metadata.issuer, ...metadata };
}

// Never the secret: it is the configuration's, and may be another one tomorrow.
function clientOf({ clientId = "none" }: GrantConfig): StoredClient {
  return { clientId, way: "pre-registered" };
}

// Otherwise the MCP server would choose who gets the secret (SEP-2352).
function assertOwnIssuer(account: Account, document: StoredAccount | undefined, { issuer }: GrantServer): void {
  const { config, serverId } = account;
  const own = config.issuer ?? document?.issuer;
  if (own === undefined || sameIssuer(own, issuer)) return;
  const [theirs, ours] = [quoteText(issuer), quoteText(own)];
  const why =
    config.issuer === undefined
      ? `its credentials went to ${ours} so far; if it has moved, configure the client with the new issuer, or forget what is kept with clear()`
      : `its client is configured for ${ours}; if it has moved, change the client's issuer`;
  throw new ToolportError(
    `server ${quoteText(serverId)} names the authorization server ${theirs}, and ${why}. Nothing was sent to either`,
    { code: "not_allowed", serverId },
  );
}
