import { isHostsideError, type HostsideError } from "@hostside/core";
import type { Account } from "../account.ts";
import { authRequired, safeExcerptOf, throwIfAborted, withoutServerName } from "../auth-errors.ts";
import type { AuthParts } from "../auth-parts.ts";
import type { Discovered } from "../discovering/discover-authorization.ts";
import type { StoredClient } from "../accounts/stored-account.ts";
import { clientKey, holds, readClient, saveClient } from "./client-documents.ts";
import { registerClient } from "./register-client.ts";

/** The purpose of a client. */
export interface ClientRequest {
  readonly discovered: Discovered;
  readonly redirectUri: string;
  /** Scopes that it will ask for. */
  readonly scope: string | undefined;
  readonly signal: AbortSignal;
}

/** The host as a client of an authorization server. */
export interface BecomeClient {
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
  { discovered, redirectUri, scope, signal }: ClientRequest,
): Promise<BecomeClient | string> {
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
      const document = await registerClient(parts, account, { metadata, redirectUri, scope, signal });
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
