import type { EnterpriseManagedConfig, JwtBearerConfig, AssertionRequest } from "../oauth-options.ts";
import type { GrantConfig, Account } from "../account.ts";
import { HostsideError, cleanText } from "@hostside/core";
import { createDeadline, formatMs, quoteText, safeCause, untilAborted } from "@hostside/core/implement";
import type { AuthParts } from "../auth-parts.ts";
import type { DpopServer } from "../dpop/choose-dpop.ts";
import { loadOAuth } from "../load-oauth.ts";
import { requestTokens } from "../tokens/request-tokens.ts";

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

const answerMs = 30_000;

/** What a host is asked for, and by which of its functions. */
export interface HostQuestion {
  /** The option as an error names it: `"assertion"`. */
  readonly option: string;
  readonly ask: (request: AssertionRequest) => Promise<string> | string;
  readonly request: Omit<AssertionRequest, "serverId" | "principal" | "signal">;
  readonly signal: AbortSignal;
}

/**
 * Asks the host for an assertion, and waits 30 s for it. Rejects with `internal_error`, which names
 * the server and the option, when the host's function throws or gives no text, with
 * `request_timeout` when it does not come back, and with the reason of the signal.
 */
async function askHost(
  { clock }: Pick<AuthParts, "clock">,
  account: Account,
  { option, ask, request, signal }: HostQuestion,
): Promise<string> {
  const { serverId, principal, secrets } = account;
  const subject = `server ${quoteText(serverId)}: the host's own ${option}()`;
  const onTimeout = (): HostsideError =>
    new HostsideError(`${subject} gave no assertion within ${formatMs(answerMs)}`, {
      code: "request_timeout",
      serverId,
      outcome: "not-sent",
      details: { timeoutMs: answerMs },
    });
  const deadline = createDeadline({ timeoutMs: answerMs, signal, onTimeout, clock });
  let answer: unknown;
  try {
    const asked = { ...request, serverId, principal, signal: deadline.signal };
    answer = await untilAborted(new Promise((resolve) => resolve(ask(asked))), deadline.signal);
  } catch (error) {
    if (deadline.signal.aborted) throw deadline.signal.reason;
    throw failed(account, `${subject} failed`, safeCause(error, secrets.redact));
  } finally {
    deadline.dispose();
  }
  if (typeof answer !== "string" || answer.trim() === "") throw failed(account, `${subject} gave no text`);
  secrets.learn(answer);
  return answer;
}

function failed({ serverId }: Account, problem: string, cause?: Error): HostsideError {
  return new HostsideError(cause === undefined ? problem : `${problem}: ${cause.message}`, {
    code: "internal_error",
    serverId,
    outcome: "not-sent",
    cause,
  });
}

/** For whom a grant is asked for, and of whom. */
export interface GrantContext {
  readonly parts: Pick<AuthParts, "clock">;
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
