import type { EnterpriseManagedConfig, JwtBearerConfig } from "../oauth-options.ts";
import { askHost } from "./ask-host.ts";
import type { GrantConfig } from "../account.ts";
import type { GrantContext } from "./grant-context.ts";
import { requestIdentityAssertion } from "./request-identity-assertion.ts";

/**
 * Gathers what the configured flow sends to the authorization server. Rejects with what the host's
 * own function or the identity provider fails with.
 */
export async function describeGrant(config: GrantConfig, context: GrantContext): Promise<URLSearchParams> {
  const params = new URLSearchParams(await grantOf(config, context));
  if (context.scope !== undefined) params.set("scope", context.scope);
  return params;
}

async function grantOf(config: GrantConfig, context: GrantContext): Promise<Record<string, string>> {
  switch (config.flow) {
    case "client_credentials":
      return { grant_type: "client_credentials" };
    case "jwt_bearer":
      return bearing(await askForAssertion(config, context));
    case "enterprise_managed":
      return bearing(await askForIdentity(config, context));
  }
}

// RFC 7523, 2.1.
function bearing(assertion: string): Record<string, string> {
  return { grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion };
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
