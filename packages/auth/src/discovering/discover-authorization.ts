import type { HostsideError } from "@hostside/core";
import type { Account } from "../account.ts";
import { authRequired, safeExcerptOf, untilGivenUp } from "../auth-errors.ts";
import type { AuthParts } from "../auth-parts.ts";
import { readAccount, type DocumentParts } from "../accounts/account-documents.ts";
import { sameIssuer } from "../accounts/authorizations.ts";
import type { StoredAuthorization } from "../accounts/stored-account.ts";
import {
  readAuthorizationServer,
  readResourceMetadata,
  type MetadataReader,
  type ResourceMetadata,
} from "./read-metadata.ts";
import { tooLate, withinTime } from "../within-time.ts";
import type { ServerMetadata } from "./server-metadata.ts";

/** The place to sign in to a server, and the scopes of it. */
export interface Discovered {
  /** The spelling is that of the authorization server. */
  readonly issuer: string;
  readonly metadata: ServerMetadata;
  /**
   * The resource that tokens are asked for (RFC 8707); absent for a server that says nothing about
   * itself.
   */
  readonly resource?: string | undefined;
  /** Scopes that the server itself lists. */
  readonly scopes: readonly string[];
  /** True if the server's metadata say that it takes nothing but bound tokens (RFC 9449). */
  readonly wantsDpop: boolean;
  /**
   * True if the authorization server published metadata; else they are what the protocol of
   * 2025-03-26 assumes.
   */
  readonly isPublished: boolean;
}

const discoveryMs = 60_000;

/**
 * Finds out where to sign in to a server: from its protected resource metadata (RFC 9728), and for
 * one without, as the protocol of 2025-03-26 has it, from its own origin. Takes of several
 * authorization servers the configured one, else the one whose tokens are kept, else the first.
 * Takes a minute at most.
 *
 * Rejects with `auth_required` when what is found cannot be trusted or is not what is configured,
 * with `request_timeout`, and with what the requests fail with.
 */
export async function discoverAuthorization(
  account: Account,
  parts: Pick<AuthParts, "closing"> & DocumentParts,
  { signal }: { readonly signal: AbortSignal },
): Promise<Discovered> {
  const ending = AbortSignal.any([signal, parts.closing]);
  const onTimeout = (): HostsideError => tooLate(account, discoveryMs, "where to sign in was not found out");
  const work = withinTime({ timeoutMs: discoveryMs, signal: ending, onTimeout }, (inTime) =>
    discover({ account, signal: inTime }, () => readAccount(parts, account)),
  );
  return untilGivenUp(work, ending, { about: account, doing: "finding out where to sign in" });
}

async function discover(
  reader: MetadataReader,
  readStored: () => Promise<StoredAuthorization | undefined>,
): Promise<Discovered> {
  const { account } = reader;
  const server = await readResourceMetadata(reader);
  const stored = await readStored();
  const issuer = chooseIssuer(account, server, stored);
  const { resource: wanted } = account.config;
  const resource = typeof wanted === "string" ? wanted : checkResource(account, server);
  const found = await readAuthorizationServer(reader, issuer);
  const isGuessed = server === undefined && account.config.issuer === undefined;
  if (found === undefined && !isGuessed) {
    const place = safeExcerptOf(account, issuer);
    throw authRequired(account, `its authorization server ${place} publishes no metadata (RFC 8414)`);
  }
  const metadata = found ?? assumedMetadata(account.serverUrl);
  assertSameOwner(account, metadata.issuer, stored);
  return {
    issuer: metadata.issuer,
    metadata,
    resource: wanted === false ? undefined : resource,
    scopes: server?.scopes ?? [],
    wantsDpop: server?.wantsDpop ?? false,
    isPublished: found !== undefined,
  };
}

function chooseIssuer(
  account: Account,
  server: ResourceMetadata | undefined,
  stored: StoredAuthorization | undefined,
): string {
  const { issuer: configured } = account.config;
  const named = server?.authorizationServers ?? [];
  const [first] = named;
  if (first === undefined) return configured ?? new URL("/", account.serverUrl).href;
  if (configured !== undefined) {
    const same = named.find((issuer) => sameIssuer(issuer, configured));
    if (same !== undefined) return same;
    const list = safeExcerptOf(account, named.join(", "));
    const text = `it names the authorization server ${list}, and not ${safeExcerptOf(account, configured)}, which is configured; nothing was sent there`;
    throw authRequired(account, text);
  }
  return named.find((issuer) => stored !== undefined && sameIssuer(issuer, stored.issuer)) ?? first;
}

// A client that was registered by hand belongs to one authorization server. Without a word of the
// host's about it, that is the one that it was first used with; a server that names another one
// later does not get its secret.
function assertSameOwner(account: Account, issuer: string, stored: StoredAuthorization | undefined): void {
  const { config } = account;
  if (config.issuer !== undefined || config.clientId === undefined) return;
  const owner = stored?.client.clientId === config.clientId ? stored?.issuer : undefined;
  if (owner === undefined || sameIssuer(owner, issuer)) return;
  throw authRequired(
    account,
    `it names the authorization server ${safeExcerptOf(account, issuer)} now, and its client belongs to ${safeExcerptOf(account, owner)}; nothing was sent. Configure the issuer if it has moved`,
  );
}

// RFC 9728, 3.3: metadata of somebody else would have tokens asked for that somebody else takes.
function checkResource(account: Account, server: ResourceMetadata | undefined): string | undefined {
  if (server === undefined) return undefined;
  const { resource } = server;
  const { origin, pathname } = new URL(resource);
  // A slash at the end makes no other resource.
  const own = withSlash(account.serverUrl.pathname);
  if (account.serverUrl.origin === origin && own.startsWith(withSlash(pathname))) return resource;
  throw authRequired(
    account,
    `its metadata are about ${safeExcerptOf(account, resource)}, which is not this server; they were not used (RFC 9728, 3.3)`,
  );
}

function withSlash(path: string): string {
  return path.endsWith("/") ? path : `${path}/`;
}

// https://modelcontextprotocol.io/specification/2025-03-26/basic/authorization: fallbacks for servers without metadata discovery.
function assumedMetadata(serverUrl: URL): ServerMetadata {
  const at = (path: string): string => new URL(path, serverUrl).href;
  return {
    issuer: at("/"),
    authorization_endpoint: at("/authorize"),
    token_endpoint: at("/token"),
    registration_endpoint: at("/register"),
    response_types_supported: ["code"],
    code_challenge_methods_supported: ["S256"],
  };
}
