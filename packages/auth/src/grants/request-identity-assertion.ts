import { cleanText, HostsideError } from "@hostside/core";
import { quoteText, safeCause } from "@hostside/core/implement";
import { loadOAuth } from "../load-oauth.ts";
import type { EnterpriseManagedConfig } from "../oauth-options.ts";
import { requestTokens } from "../tokens/request-tokens.ts";
import type { GrantContext } from "./grant-context.ts";

/**
 * Exchanges a user's ID token for an assertion that the MCP server's authorization server takes
 * (RFC 8693, for an ID-JAG): at the enterprise's identity provider, whose token endpoint is found
 * out when it is not given. Rejects with what the identity provider says, and with `auth_required`
 * when it is not to be found.
 */
export async function requestIdentityAssertion(
  identityProvider: EnterpriseManagedConfig["identityProvider"],
  idToken: string,
  { account, server, resource = account.serverUrl.href, scope, parts, signal }: GrantContext,
): Promise<string> {
  const { clientId, clientSecret } = identityProvider;
  if (clientSecret !== undefined) account.secrets.learn(clientSecret);
  const tokenEndpoint = identityProvider.tokenEndpoint ?? (await findTokenEndpoint(identityProvider, account));
  const oauth = await loadOAuth();
  const request = { account, clock: parts.clock, assertWanted: () => signal.throwIfAborted() };
  const { access_token: assertion } = await requestTokens(request, async (fetchFn) => {
    const given = await oauth.requestJwtAuthorizationGrant({
      tokenEndpoint,
      audience: server.issuer,
      resource,
      idToken,
      clientId,
      fetchFn,
      ...(clientSecret !== undefined && { clientSecret }),
      ...(scope !== undefined && { scope }),
    });
    return { access_token: given.jwtAuthGrant, token_type: "N_A" };
  });
  return assertion;
}

async function findTokenEndpoint(
  { issuer = "" }: EnterpriseManagedConfig["identityProvider"],
  { serverId, fetch, secrets }: GrantContext["account"],
): Promise<string> {
  const { discoverAuthorizationServerMetadata } = await loadOAuth();
  const problem = (why: string, cause?: Error): HostsideError =>
    new HostsideError(
      `server ${quoteText(serverId)}: the token endpoint of the identity provider ${quoteText(issuer)} was not found: ${why}; configure identityProvider.tokenEndpoint`,
      { code: "auth_required", serverId, cause },
    );
  let metadata: Awaited<ReturnType<typeof discoverAuthorizationServerMetadata>>;
  try {
    metadata = await discoverAuthorizationServerMetadata(issuer, { fetchFn: fetch });
  } catch (error) {
    const cause = safeCause(error, secrets.redact);
    throw problem(quoteText(secrets.redact(cleanText(cause?.message ?? "no reason given", 300)), 300), cause);
  }
  if (metadata === undefined) throw problem("it publishes no metadata");
  return metadata.token_endpoint;
}
