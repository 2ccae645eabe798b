import type { EnterpriseManagedConfig, AssertionRequest } from "../oauth-options.ts";
import type { GrantConfig, Account } from "../account.ts";
import { isHostsideError, type HostsideError } from "@hostside/core";
import { quoteText, safeCause } from "@hostside/core/implement";
import { authRequired, serverError, withoutServerName } from "../auth-errors.ts";
import type { DpopServer } from "../dpop/choose-dpop.ts";
import { readAuthorizationServer } from "../discovering/read-metadata.ts";
import { tooLate, withinTime } from "../within-time.ts";
import { requestTokens, type TokenParameters } from "../tokens/request-tokens.ts";

/**
 * The parameters of the configured flow. Rejects with what the host's own function or the identity
 * provider fails with.
 */
export async function describeGrant(config: GrantConfig, context: GrantContext): Promise<TokenParameters> {
  switch (config.flow) {
    case "client_credentials":
      return { grant_type: "client_credentials" };
    case "jwt_bearer":
      return bearing(await askHost(context, "assertion", config.assertion));
    case "enterprise_managed": {
      const { identityProvider } = config;
      const idToken = await askHost(context, "identityProvider.idToken", identityProvider.idToken);
      return bearing(await requestIdentityAssertion(identityProvider, idToken, context));
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
  { account, server, resource, scope, signal }: GrantContext,
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

/** The parties of a grant. */
export interface GrantContext {
  readonly account: Account;
  readonly server: DpopServer;
  readonly resource: string | undefined;
  readonly scope: string | undefined;
  readonly signal: AbortSignal;
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
  { account, server, resource = account.serverUrl.href, scope, signal }: GrantContext,
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
