import type { HostsideError, AuthorizationFetch } from "@hostside/core";
import type { Account, AuthParts } from "../account.ts";
import { authRequired, safeExcerptOf, untilGivenUp, throwIfAborted, abortError, toAuthError } from "../auth-errors.ts";
import { readAccount } from "../accounts/account-documents.ts";
import { sameIssuer, type StoredAuthorization } from "../accounts/stored-account.ts";
import {
  readAuthorizationServer,
  readResourceMetadata,
  type MetadataReader,
  type ResourceMetadata,
  type ServerMetadata,
} from "./read-metadata.ts";
import { tooLate, withinTime } from "../within-time.ts";
import { untilAborted } from "@hostside/core/implement";
import { noteChallenge } from "./read-challenges.ts";
import type { DiscoveredAuthorization } from "../oauth.ts";

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
  parts: AuthParts,
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

// Asks for nothing and changes nothing, whatever the era of the server: one that lets everybody in
// says so by not refusing it.
const question = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
// A sign-in goes on without the answer.
const answerMs = 5000;

/** Asks a server something without credentials. */
function askServer(
  { serverUrl }: Pick<Account, "serverUrl">,
  fetch: AuthorizationFetch,
  signal: AbortSignal,
): Promise<Response> {
  return untilAborted(fetch(serverUrl, { method: "POST", headers, body: question, signal }), signal);
}

/**
 * Finds out where to sign in to a server, and for what. A server that has not refused anything yet
 * is first asked for its challenge. The sign-in then asks for the same, whether or not something
 * has connected. A server that does not answer within 5 s, or whose scopes are configured, goes
 * without a challenge.
 *
 * Rejects as {@linkcode discoverAuthorization}, and with `auth_required` when the server lets in
 * who has no credentials and nothing says where to sign in.
 */
export async function discoverForSignIn(parts: AuthParts, account: Account, signal: AbortSignal): Promise<Discovered> {
  const { hints, config } = account;
  const isAsked = hints.isHeard !== true && config.scopes === undefined;
  const status = isAsked ? await askForChallenge(parts, account, signal) : undefined;
  const discovered = await discoverAuthorization(account, parts, { signal });
  if (letsIn(status) && !discovered.isPublished) {
    const text =
      "it does not refuse requests without credentials, and publishes no metadata that say where to sign in: it wants no OAuth; nobody was registered there. If it refuses its tools, it may want a key (createApiKeys())";
    throw authRequired(account, text);
  }
  return discovered;
}

async function askForChallenge(
  { closing }: AuthParts,
  account: Account,
  signal: AbortSignal,
): Promise<number | undefined> {
  const limit = {
    timeoutMs: answerMs,
    signal: AbortSignal.any([signal, closing]),
    onTimeout: () => new Error("no answer"),
  };
  try {
    const { status, headers: said } = await withinTime(limit, (ending) => askServer(account, account.fetch, ending));
    if (status === 401) noteChallenge(account, said.get("www-authenticate") ?? undefined);
    return status;
  } catch {
    throwIfAborted(signal, account, "signing in");
    closing.throwIfAborted();
    return undefined;
  }
}

// A server of the protocol of 2025-03-26 that wants OAuth and publishes nothing answers 401. With
// sessions, 400 stands for "no session".
function letsIn(status: number | undefined): boolean {
  return status !== undefined && ((status >= 200 && status < 300) || status === 400);
}

/** A question about the sign-in of a server. */
interface Inquiry {
  /** An account that nobody signs in to. */
  readonly account: Account;
  /** Reads no body: a server may answer with a stream that has no end. */
  readonly fetchHead: AuthorizationFetch;
  readonly signal: AbortSignal;
}

/**
 * Finds out how to sign in to a server; `null` when it takes requests without credentials and its
 * metadata say nothing else. A server that refuses and publishes nothing is taken to have the
 * endpoints that the protocol of 2025-03-26 assumes.
 */
export async function discoverUrl(
  { account, fetchHead, signal }: Inquiry,
  parts: AuthParts,
): Promise<DiscoveredAuthorization | null> {
  const ending = AbortSignal.any([signal, parts.closing]);
  let response: Response;
  try {
    response = await askServer(account, fetchHead, ending);
  } catch (error) {
    throw ending.aborted
      ? abortError(ending, account, "discovering")
      : toAuthError(error, account, "asking the server");
  }
  noteChallenge(account, response.headers.get("www-authenticate") ?? undefined);
  const isRefused = response.status === 401;
  if (!isRefused && !(await hasMetadata(account, ending))) return null;
  const { issuer, metadata, scopes, isPublished } = await discoverAuthorization(account, parts, { signal: ending });
  const asked = account.hints.scope?.split(" ") ?? [];
  return {
    issuer,
    scopes: asked.length > 0 ? asked : scopes,
    registration: [
      ...(metadata["client_id_metadata_document_supported"] === true ? (["metadata-document"] as const) : []),
      ...(isPublished && metadata.registration_endpoint !== undefined ? (["dynamic"] as const) : []),
    ],
  };
}

async function hasMetadata(account: Account, signal: AbortSignal): Promise<boolean> {
  const server = await untilAborted(readResourceMetadata({ account, signal }), signal);
  return server !== undefined && server.authorizationServers.length > 0;
}
