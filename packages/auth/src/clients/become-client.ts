import { isHostsideError, type HostsideError, type JsonObject } from "@hostside/core";
import type { Account, AuthParts } from "../account.ts";
import {
  authRequired,
  safeExcerptOf,
  throwIfAborted,
  withoutServerName,
  readAnswer,
  nameServer,
} from "../auth-errors.ts";
import type { Discovered } from "../discovering/discover-authorization.ts";
import {
  type StoredClient,
  isUrl,
  partChecks,
  readDocument,
  withoutAbsent,
  type Checks,
} from "../accounts/stored-account.ts";
import { clock, isLoopbackUrl } from "@hostside/core/implement";
import { parseObject, savingMs, type CredentialKey } from "../store/credential-store.ts";
import { listOf, textOf, type ServerMetadata } from "../discovering/read-metadata.ts";
import { coversScopes, joinScopes } from "../discovering/read-challenges.ts";

/** The purpose of a client. */
interface ClientRequest {
  readonly discovered: Discovered;
  readonly redirectUri: string;
  /** Scopes that it will ask for. */
  readonly scope: string | undefined;
  readonly signal: AbortSignal;
}

/** The host as a client of an authorization server. */
interface BecomeClient {
  readonly client: StoredClient;
  /** True if it was found in the store: its authorization server may have forgotten it since. */
  readonly isKept: boolean;
}

// A request of at most half a minute, and reading and writing.
const registeringMs = 90_000;

// What has nothing to do with one way or the other.
const passedOn: ReadonlySet<string> = new Set(["aborted", "closed", "not_allowed", "store_failed", "overloaded"]);

/**
 * Becomes a client of an authorization server while a user waits: the configured one; by the
 * product's Client ID Metadata Document; one that was registered before, which all principals of a
 * store share; a new one. At most one is registered at a time among all that share the store.
 *
 * Rejects with one `auth_required` that lists what was tried and why each failed.
 */
export async function becomeClient(
  parts: AuthParts,
  account: Account,
  requested: ClientRequest,
): Promise<BecomeClient> {
  const { clientId, clientSecret } = account.config;
  if (clientId !== undefined) return { client: { clientId, clientSecret, way: "pre-registered" }, isKept: false };
  const { discovered } = requested;
  const { metadataUrl } = parts.settings.product;
  const isTaken = discovered.metadata["client_id_metadata_document_supported"] === true;
  if (metadataUrl !== undefined && isTaken) {
    return { client: { clientId: metadataUrl, way: "metadata-document", authMethod: "none" }, isKept: false };
  }
  const missing = [
    ...(metadataUrl === undefined ? ["the product has none (product.metadataUrl)"] : []),
    ...(isTaken ? [] : ["the authorization server does not take any"]),
  ];
  const found = await findOrRegister(parts, account, requested);
  if (typeof found !== "string") return found;
  throw noWay(account, discovered, [
    "pre-registered: no clientId is configured for this server",
    `Client ID Metadata Document: ${missing.join(", and ")}`,
    `Dynamic Client Registration: ${found}`,
  ]);
}

// The client, or why there is none.
async function findOrRegister(
  parts: AuthParts,
  account: Account,
  requested: ClientRequest,
): Promise<BecomeClient | string> {
  const { discovered, redirectUri, scope, signal } = requested;
  const { issuer, metadata } = discovered;
  const key = clientKey(issuer, redirectUri);
  const find = async (): Promise<BecomeClient | undefined> => {
    const kept = await readClient(parts, account, key);
    return kept !== undefined && holds(kept, redirectUri, scope) ? { client: kept.client, isKept: true } : undefined;
  };
  const known = await find();
  if (known !== undefined) return known;
  if (metadata.registration_endpoint === undefined) return "the authorization server does not offer it";
  return parts.store.withLock(key, registeringMs, async () => {
    throwIfAborted(signal, account, "registering a client");
    const other = await find();
    if (other !== undefined) return other;
    try {
      const document = await registerClient(parts, account, requested);
      await saveClient(parts, key, document);
      return { client: document.client, isKept: false };
    } catch (error) {
      throwIfAborted(signal, account, "registering a client");
      if (isHostsideError(error)) {
        if (passedOn.has(error.code)) throw error;
        return safeExcerptOf(account, withoutServerName(account.serverId, error.rawMessage));
      }
      return error instanceof Error ? safeExcerptOf(account, error.message) : "no reason given";
    }
  });
}

function noWay(account: Account, { issuer, isPublished }: Discovered, tried: readonly string[]): HostsideError {
  const list = tried.map((way, index) => `(${index + 1}) ${way}`).join("; ");
  const where = safeExcerptOf(account, issuer);
  const text = isPublished
    ? `there is no way to become a client of ${where}: ${list}. Register a client there by hand and configure its clientId`
    : `it refuses requests without credentials and publishes no way to get them. If it wants a token or a key, configure it, such as in the headers of its entry. No client could be registered at ${where} either: ${list}`;
  return authRequired(account, text, { details: { reason: "no-client" } });
}

const ownMethods = ["none", "client_secret_basic", "client_secret_post"] as const;
type OwnMethod = (typeof ownMethods)[number];

// Visible ASCII and spaces (RFC 6749, appendix A.1).
const clientIdText = /^[\u0020-\u007E]{1,2048}$/;

/** Registers a client (RFC 7591). Rejects with what stands in the way; nothing was stored then. */
async function registerClient(
  { settings }: AuthParts,
  account: Account,
  requested: ClientRequest,
): Promise<ClientDocument> {
  const { redirectUri, scope } = requested;
  const { metadata } = requested.discovered;
  const method = chooseMethod(metadata, redirectUri);
  if (method === undefined) {
    const offered = listOf(metadata, "token_endpoint_auth_methods_supported") ?? [];
    throw new RangeError(`it takes only ${safeExcerptOf(account, offered.join(", "), 100)} of its clients`);
  }
  const { product } = settings;
  const clientName = ("clientName" in account.config ? account.config.clientName : undefined) ?? product.name;
  const body = await send(account, requested, {
    client_name: clientName,
    redirect_uris: [redirectUri],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    application_type: isNative(redirectUri) ? "native" : "web",
    token_endpoint_auth_method: method,
    ...(scope !== undefined && { scope }),
  });
  const { client_id: clientId, client_secret: secret, token_endpoint_auth_method: authMethod, scope: granted } = body;
  const clientSecret = typeof secret === "string" && secret !== "" ? secret : undefined;
  if (clientSecret !== undefined) account.secrets.learn(clientSecret);
  if (typeof clientId !== "string" || !clientIdText.test(clientId) || clientId.trim() === "")
    throw new RangeError("it answered without a usable client_id");
  if (typeof authMethod === "string" && !ownMethods.some((own) => own === authMethod)) {
    throw new RangeError(`it wants its client to use ${safeExcerptOf(account, authMethod, 100)}`);
  }
  const secretExpiresAt = readEnd(body["client_secret_expires_at"]);
  if (secretExpiresAt !== undefined && secretExpiresAt <= clock.date())
    throw new RangeError("its registration has ended already");
  const given = typeof authMethod === "string" ? authMethod : undefined;
  return {
    client: { clientId, way: "dynamic", clientSecret, authMethod: given, secretExpiresAt },
    redirectUri,
    askedScope: scope,
    scope: typeof granted === "string" ? granted.slice(0, 16_384) : undefined,
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

// HTTP on a loopback address and custom schemes; a page behind HTTPS is a web application's,
// wherever it is.
function isNative(redirectUri: string): boolean {
  return new URL(redirectUri).protocol !== "https:";
}

// In seconds since 1970; 0 means never (RFC 7591, 3.2.1).
function readEnd(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value * 1000 : undefined;
}

async function send(
  account: Account,
  { discovered, signal }: ClientRequest,
  registration: JsonObject,
): Promise<JsonObject> {
  const url = new URL(textOf(discovered.metadata, "registration_endpoint") ?? "");
  const headers = { "content-type": "application/json", accept: "application/json" };
  const { response, text } = await readAnswer(account, "registering a client", () =>
    account.fetch(url, { method: "POST", headers, body: JSON.stringify(registration), signal }),
  );
  const body = parseObject(text);
  if (response.ok) return body ?? {};
  const parts = body === undefined ? [text] : [body["error"], body["error_description"]];
  const said = safeExcerptOf(account, parts.filter((part) => typeof part === "string").join(": "), 200);
  throw new RangeError(`it answered HTTP ${response.status}${said === "" ? "" : ` (${said})`}`);
}

/** A client that was registered, and for what. */
interface ClientDocument {
  readonly client: StoredClient;
  /** The redirect URI that users may be sent back to. */
  readonly redirectUri: string;
  /** Scopes that it was registered for. */
  readonly askedScope?: string | undefined;
  /** Scopes that the authorization server lets it ask for; absent when it does not say. */
  readonly scope?: string | undefined;
}

const { client, scope } = partChecks;
const clientChecks: Checks<ClientDocument> = { client, redirectUri: isUrl, askedScope: scope, scope };

// RFC 8252, 7.3: whatever the port, it is the same application; which one it is registered with
// stands in the document.
const anyPort = "http://127.0.0.1/";
// A registration that ends during the sign-in is of no use.
const lastMinuteMs = 60_000;

/** Names the client in the store that has users sent back to this URI. */
export function clientKey(issuer: string, redirectUri: string | undefined): CredentialKey {
  const url = redirectUri === undefined ? undefined : new URL(redirectUri);
  const isListened = url === undefined || (url.protocol === "http:" && isLoopbackUrl(url));
  return { kind: "client", issuer, redirectUri: isListened || redirectUri === undefined ? anyPort : redirectUri };
}

/**
 * The client that is kept, for whatever port; `undefined` when there is none that still holds.
 * Rejects with `store_failed`.
 */
export async function readClient(
  { store }: AuthParts,
  account: Account,
  key: CredentialKey,
): Promise<ClientDocument | undefined> {
  const document = await store.load(key);
  if (document === undefined) return undefined;
  const known = readDocument(document, clientChecks, {
    what: `${nameServer(account.serverId)}: its client that is stored`,
    advice: "it was left as it is",
    serverId: account.serverId,
  });
  const { clientId, clientSecret, secretExpiresAt } = known.client;
  if (clientId === account.hints.refusedClientId) return undefined;
  if (secretExpiresAt !== undefined && secretExpiresAt <= clock.date() + lastMinuteMs) return undefined;
  if (clientSecret !== undefined) account.secrets.learn(clientSecret);
  return known;
}

/** Keeps a client. Only for who has its lock. */
async function saveClient({ store }: AuthParts, key: CredentialKey, document: ClientDocument): Promise<void> {
  await store.save(key, { version: 1, ...withoutAbsent(document) });
}

/**
 * Tells whether a client that is kept will do, or has to be registered for this URI and these
 * scopes. To ask again for what was refused is of no use.
 */
function holds(document: ClientDocument, redirectUri: string, scope: string | undefined): boolean {
  if (document.redirectUri !== redirectUri) return false;
  return document.scope === undefined || coversScopes(joinScopes(document.scope, document.askedScope), scope);
}

/**
 * Forgets a client that its authorization server no longer knows, so that the next sign-in
 * registers anew; not one that took its place meanwhile. Rejects with `store_failed`.
 */
export async function forgetClient(
  parts: AuthParts,
  account: Account,
  {
    issuer,
    redirectUri,
    clientId,
  }: { readonly issuer: string; readonly redirectUri?: string | undefined; readonly clientId: string },
): Promise<void> {
  const key = clientKey(issuer, redirectUri);
  await parts.store.withLock(key, savingMs, async () => {
    const document = await readClient(parts, account, key);
    if (document?.client.clientId === clientId) await parts.store.clear(key);
  });
}
