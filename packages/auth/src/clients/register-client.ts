import type { OAuthClientMetadata } from "@modelcontextprotocol/client";
import type { AuthorizationFetch } from "@hostside/core";
import { dateOf, isJsonObject, isLoopbackUrl } from "@hostside/core/implement";
import type { Account } from "../account.ts";
import { safeExcerptOf, toAuthError } from "../auth-errors.ts";
import type { AuthParts } from "../auth-parts.ts";
import { listOf, toSdkMetadata, type ServerMetadata } from "../discovering/server-metadata.ts";
import { loadOAuth } from "../load-oauth.ts";
import type { ClientDocument } from "./client-documents.ts";

/** What a client is to be registered for. */
export interface RegistrationRequest {
  readonly metadata: ServerMetadata;
  readonly redirectUri: string;
  readonly scope: string | undefined;
  readonly signal: AbortSignal;
}

const ownMethods = ["none", "client_secret_basic", "client_secret_post"] as const;
type OwnMethod = (typeof ownMethods)[number];

// Visible ASCII and spaces (RFC 6749, appendix A.1).
const clientIdText = /^[\u0020-\u007E]{1,2048}$/;

/** Registers a client (RFC 7591). Rejects with what stands in the way; nothing was stored then. */
export async function registerClient(
  { settings, clock }: Pick<AuthParts, "clock" | "settings">,
  account: Account,
  requested: RegistrationRequest,
): Promise<ClientDocument> {
  const { metadata, redirectUri, scope, signal } = requested;
  const oauth = await loadOAuth();
  const method = chooseMethod(metadata, redirectUri);
  if (method === undefined) {
    const offered = listOf(metadata, "token_endpoint_auth_methods_supported") ?? [];
    throw new RangeError(`it takes only ${safeExcerptOf(account, offered.join(", "), 100)} of its clients`);
  }
  const { product } = settings;
  const clientName = ("clientName" in account.config ? account.config.clientName : undefined) ?? product.name;
  const clientMetadata: OAuthClientMetadata = {
    client_name: clientName,
    redirect_uris: [redirectUri],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    application_type: isNative(redirectUri) ? "native" : "web",
    token_endpoint_auth_method: method,
    ...(product.url !== undefined && { client_uri: product.url }),
  };
  const answered: { body: Readonly<Record<string, unknown>> } = { body: {} };
  const fetchFn = watchRegistration(account.fetch, { redirectUri, signal, answered });
  const options = { metadata: toSdkMetadata(metadata), clientMetadata, fetchFn, ...(scope !== undefined && { scope }) };
  let client;
  try {
    client = await oauth.registerClient(metadata.issuer, options);
  } catch (error) {
    if (error instanceof oauth.RegistrationRejectedError) throw rejected(account, error.status, error.body);
    throw toAuthError(error, account, "registering a client");
  }
  const { client_id: clientId, client_secret: clientSecret, token_endpoint_auth_method: authMethod } = client;
  if (clientSecret !== undefined) account.secrets.learn(clientSecret);
  if (!clientIdText.test(clientId) || clientId.trim() === "")
    throw new RangeError("it answered without a usable client_id");
  if (authMethod !== undefined && !isOwnMethod(authMethod)) {
    throw new RangeError(`it wants its client to use ${safeExcerptOf(account, authMethod, 100)}`);
  }
  const secretExpiresAt = readEnd(answered.body["client_secret_expires_at"]);
  const granted = answered.body["scope"];
  if (secretExpiresAt !== undefined && secretExpiresAt <= dateOf(clock))
    throw new RangeError("its registration has ended already");
  return {
    client: {
      clientId,
      way: "dynamic",
      ...(clientSecret !== undefined && { clientSecret }),
      ...(authMethod !== undefined && { authMethod }),
      ...(secretExpiresAt !== undefined && { secretExpiresAt }),
    },
    redirectUri,
    ...(scope !== undefined && { askedScope: scope }),
    ...(typeof granted === "string" && { scope: granted.slice(0, 16_384) }),
  };
}

// An application on the user's machine keeps no secret from the user; a product's server does (RFC
// 8252, 8.4).
function chooseMethod(metadata: ServerMetadata, redirectUri: string): OwnMethod | undefined {
  const offered = listOf(metadata, "token_endpoint_auth_methods_supported");
  const order: readonly OwnMethod[] = isNative(redirectUri)
    ? ownMethods
    : ["client_secret_basic", "client_secret_post", "none"];
  return offered === undefined ? order[0] : order.find((method) => offered.includes(method));
}

function isNative(redirectUri: string): boolean {
  const url = new URL(redirectUri);
  return url.protocol !== "https:" || isLoopbackUrl(url);
}

function isOwnMethod(method: string): method is OwnMethod {
  return ownMethods.some((own) => own === method);
}

// In seconds since 1970; 0 means never (RFC 7591, 3.2.1).
function readEnd(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value * 1000 : undefined;
}

interface Watching {
  readonly redirectUri: string;
  readonly signal: AbortSignal;
  readonly answered: { body: Readonly<Record<string, unknown>> };
}

// Hands on what is used alone: the SDK gives up a whole registration for a member that it does not
// need.
function watchRegistration(fetch: AuthorizationFetch, { redirectUri, signal, answered }: Watching): AuthorizationFetch {
  return async (url, init) => {
    const response = await fetch(url, { ...init, signal });
    if (!response.ok) return response;
    const body: unknown = await response.json().catch(() => undefined);
    if (!isJsonObject(body)) return Response.json({});
    answered.body = body;
    const { client_id: clientId, client_secret: clientSecret, token_endpoint_auth_method: method } = body;
    return Response.json({
      client_id: clientId,
      redirect_uris: [redirectUri],
      ...(typeof clientSecret === "string" && clientSecret !== "" && { client_secret: clientSecret }),
      ...(typeof method === "string" && { token_endpoint_auth_method: method }),
    });
  };
}

function rejected(account: Account, status: number, body: string): RangeError {
  let text = body;
  try {
    const parsed: unknown = JSON.parse(body);
    if (isJsonObject(parsed)) {
      text = [parsed["error"], parsed["error_description"]].filter((part) => typeof part === "string").join(": ");
    }
  } catch {
    // A page for people, or a proxy's.
  }
  const said = safeExcerptOf(account, text, 200);
  return new RangeError(`it answered HTTP ${status}${said === "" ? "" : ` (${said})`}`);
}
