import { isHostsideError, type HostsideError } from "@hostside/core";
import { untilAborted } from "@hostside/core/implement";
import type { Account } from "../account.ts";
import { authRequired, safeExcerptOf, throwIfAborted, withoutServerName } from "../auth-errors.ts";
import type { AuthParts } from "../auth-parts.ts";
import type { Discovered } from "../discovering/discover-authorization.ts";
import type { StoredClient } from "../accounts/stored-account.ts";
import { clientKey, holds, readClient, saveClient } from "./client-documents.ts";
import { registerClient } from "./register-client.ts";

/** What a client is wanted for. */
export interface ClientRequest {
  readonly discovered: Discovered;
  readonly redirectUri: string;
  /** What it will ask for. */
  readonly scope: string | undefined;
  readonly signal: AbortSignal;
}

/** Who the host is to an authorization server. */
export interface BecomeClient {
  readonly client: StoredClient;
  /** Whether it was found in the store: its authorization server may have forgotten it since. */
  readonly isKept: boolean;
}

// A request of at most half a minute, and reading and writing.
const registeringMs = 90_000;

// What has nothing to do with one way or the other.
const passedOn: ReadonlySet<string> = new Set(["aborted", "closed", "not_allowed", "store_failed", "overloaded"]);

/**
 * Becomes a client of an authorization server while a user waits: the configured one; by the
 * product's Client ID Metadata Document; one that was registered before, which all principals of a
 * store share; a new one; one that a human gives. At most one is registered at a time among all
 * that share the store.
 *
 * Rejects with one `auth_required` that lists what was tried and why each failed.
 */
export async function becomeClient(
  parts: AuthParts,
  account: Account,
  requested: ClientRequest,
): Promise<BecomeClient> {
  const tried: string[] = [];
  const configured = configuredClient(account);
  if (configured !== undefined) return { client: configured, isKept: false };
  tried.push("pre-registered: no clientId is configured for this server");
  const document = documentClient(parts, requested, tried);
  if (document !== undefined) return { client: document, isKept: false };
  const found = await findOrRegister(parts, account, { requested, tried });
  if (found !== undefined) return found;
  const given = await askForClient(parts, account, { requested, tried });
  if (given !== undefined) return { client: given, isKept: false };
  throw noWay(account, requested.discovered, tried);
}

/** The client that the host's configuration names, as it is now. */
export function configuredClient({ config }: Account): StoredClient | undefined {
  const { clientId, clientSecret } = config;
  if (clientId === undefined) return undefined;
  return { clientId, way: "pre-registered", ...(clientSecret !== undefined && { clientSecret }) };
}

function documentClient(
  { settings }: AuthParts,
  { discovered }: ClientRequest,
  tried: string[],
): StoredClient | undefined {
  const { metadataUrl } = settings.product;
  const isTaken = discovered.metadata["client_id_metadata_document_supported"] === true;
  if (metadataUrl !== undefined && isTaken) {
    return { clientId: metadataUrl, way: "metadata-document", authMethod: "none" };
  }
  const missing = [
    metadataUrl === undefined ? "the product has none (product.metadataUrl)" : "",
    isTaken ? "" : "the authorization server does not take any",
  ].filter((reason) => reason !== "");
  tried.push(`Client ID Metadata Document: ${missing.join(", and ")}`);
  return undefined;
}

interface Search {
  readonly requested: ClientRequest;
  readonly tried: string[];
}

async function findOrRegister(
  parts: AuthParts,
  account: Account,
  { requested, tried }: Search,
): Promise<BecomeClient | undefined> {
  const { discovered, redirectUri, scope, signal } = requested;
  const { issuer, metadata } = discovered;
  const key = clientKey(issuer, redirectUri);
  const find = async (): Promise<BecomeClient | undefined> => {
    const kept = await readClient(parts, account, key);
    return kept !== undefined && holds(kept, redirectUri, scope) ? { client: kept.client, isKept: true } : undefined;
  };
  const known = await find();
  if (known !== undefined) return known;
  if (metadata.registration_endpoint === undefined) {
    tried.push("Dynamic Client Registration: the authorization server does not offer it");
    return undefined;
  }
  return parts.store.withLock(key, registeringMs, async () => {
    throwIfAborted(signal, account, "registering a client");
    const other = await find();
    if (other !== undefined) return other;
    try {
      const document = await registerClient(parts, account, { metadata, redirectUri, scope, signal });
      await saveClient(parts, key, document);
      return { client: document.client, isKept: false };
    } catch (error) {
      throwIfAborted(signal, account, "registering a client");
      if (isHostsideError(error) && passedOn.has(error.code)) throw error;
      tried.push(`Dynamic Client Registration: ${reasonOf(account, error)}`);
      return undefined;
    }
  });
}

async function askForClient(
  parts: AuthParts,
  account: Account,
  { requested, tried }: Search,
): Promise<StoredClient | undefined> {
  const { askForClient: ask } = parts.settings;
  const { discovered, redirectUri, signal } = requested;
  const { issuer } = discovered;
  if (ask === undefined) {
    tried.push("asking: there is nobody to ask (askForClient)");
    return undefined;
  }
  const { serverId, principal } = account;
  let given: unknown;
  try {
    const asking = async (): Promise<unknown> =>
      ask({ serverId, principal, issuer, redirectUri, tried: [...tried], signal });
    given = await untilAborted(asking(), signal);
  } catch (error) {
    throwIfAborted(signal, account, "asking for a client");
    tried.push(`asking: it failed: ${reasonOf(account, error)}`);
    return undefined;
  }
  throwIfAborted(signal, account, "asking for a client");
  if (given === undefined) {
    tried.push("asking: nobody gave one");
    return undefined;
  }
  const client = readGiven(given);
  if (client === undefined) {
    tried.push("asking: the answer has a blank client id or secret");
    return undefined;
  }
  if (client.clientSecret !== undefined) account.secrets.learn(client.clientSecret);
  const key = clientKey(issuer, redirectUri);
  await parts.store.withLock(key, registeringMs, () => saveClient(parts, key, { client, redirectUri }));
  return client;
}

function readGiven(given: unknown): StoredClient | undefined {
  if (typeof given !== "object" || given === null) return undefined;
  const clientId: unknown = "clientId" in given ? given.clientId : undefined;
  const clientSecret: unknown = "clientSecret" in given ? given.clientSecret : undefined;
  if (typeof clientId !== "string" || clientId.trim() === "") return undefined;
  if (clientSecret === undefined) return { clientId, way: "asked" };
  if (typeof clientSecret !== "string" || clientSecret.trim() === "") return undefined;
  return { clientId, clientSecret, way: "asked" };
}

function reasonOf(account: Account, error: unknown): string {
  if (isHostsideError(error)) return safeExcerptOf(account, withoutServerName(account.serverId, error.rawMessage));
  return error instanceof Error ? safeExcerptOf(account, error.message) : "no reason given";
}

function noWay(account: Account, { issuer, isPublished }: Discovered, tried: readonly string[]): HostsideError {
  const list = tried.map((way, index) => `(${index + 1}) ${way}`).join("; ");
  const where = safeExcerptOf(account, issuer);
  const text = isPublished
    ? `there is no way to become a client of ${where}: ${list}. Register a client there by hand and configure its clientId`
    : `it refuses requests without credentials and publishes no way to get them. If it wants a token or a key, configure it, such as in the headers of its entry. No client could be registered at ${where} either: ${list}`;
  return authRequired(account, text, { details: { reason: "no-client" } });
}
