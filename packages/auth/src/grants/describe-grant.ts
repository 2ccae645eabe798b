import type { AddClientAuthentication } from "@modelcontextprotocol/client";
import { ToolportError } from "@toolport/core";
import { quoteText } from "@toolport/core/implement";
import type { ClientCredentialsConfig, EnterpriseManagedConfig, JwtBearerConfig } from "../oauth-options.ts";
import { askHost } from "./ask-host.ts";
import type { GrantConfig } from "./grant-config.ts";
import { assertClient, importKey } from "./client-assertion.ts";
import { authenticateClient } from "./client-authentication.ts";
import type { GrantContext } from "./grant-context.ts";
import { requestIdentityAssertion } from "./request-identity-assertion.ts";

/** What a request for a grant says, and how the client proves who it is. */
export interface Grant {
  readonly params: URLSearchParams;
  readonly authenticate: AddClientAuthentication;
}

/** Gathers what the configured flow sends to the authorization server. Rejects with what the host or the identity provider fails with. */
export async function describeGrant(config: GrantConfig, context: GrantContext): Promise<Grant> {
  const { scope } = context;
  const { grant, authenticate } = await grantOf(config, context);
  const params = new URLSearchParams(grant);
  if (scope !== undefined) params.set("scope", scope);
  return { params, authenticate };
}

interface GrantParts {
  readonly grant: Readonly<Record<string, string>>;
  readonly authenticate: AddClientAuthentication;
}

async function grantOf(config: GrantConfig, context: GrantContext): Promise<GrantParts> {
  switch (config.flow) {
    case "client_credentials":
      return { grant: { grant_type: "client_credentials" }, authenticate: await proofOf(config, context) };
    case "jwt_bearer":
      return bearing(await askForAssertion(config, context), config, context);
    case "enterprise_managed":
      return bearing(await askForIdentity(config, context), config, context);
  }
}

// RFC 7523, 2.1.
function bearing(
  assertion: string,
  { clientId, clientSecret }: EnterpriseManagedConfig | JwtBearerConfig,
  { account, server }: GrantContext,
): GrantParts {
  if (clientSecret !== undefined) account.secrets.learn(clientSecret);
  const grant = { grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion };
  return { grant, authenticate: authenticateClient({ clientId, clientSecret }, server.metadata) };
}

async function proofOf(
  { clientId, clientSecret, privateKey, authMethod }: ClientCredentialsConfig,
  { account, server, parts }: GrantContext,
): Promise<AddClientAuthentication> {
  if (clientSecret !== undefined) account.secrets.learn(clientSecret);
  if (privateKey === undefined) {
    return authenticateClient({ clientId, clientSecret, authMethod }, server.metadata);
  }
  try {
    await importKey(privateKey);
  } catch {
    // The reason may quote the key.
    throw new ToolportError(
      `server ${quoteText(account.serverId)}: the private key of the client ${quoteText(clientId)} cannot be read as a key for ${privateKey.algorithm}`,
      { code: "invalid_spec", serverId: account.serverId },
    );
  }
  const { learn } = account.secrets;
  return assertClient({ clientId, privateKey, audience: server.issuer, clock: parts.clock, learn });
}

function askForAssertion({ assertion }: JwtBearerConfig, context: GrantContext): Promise<string> {
  return askHost(context.parts, context.account, {
    option: "assertion",
    ask: assertion,
    request: requestOf(context),
    signal: context.signal,
  });
}

async function askForIdentity(config: EnterpriseManagedConfig, context: GrantContext): Promise<string> {
  const { identityProvider } = config;
  const idToken = await askHost(context.parts, context.account, {
    option: "identityProvider.idToken",
    ask: identityProvider.idToken,
    request: requestOf(context),
    signal: context.signal,
  });
  return requestIdentityAssertion(identityProvider, idToken, context);
}

function requestOf({ server, resource, scope }: GrantContext) {
  return { issuer: server.issuer, resource, scope };
}
