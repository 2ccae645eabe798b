import { HostsideError, redactUrl, type AuthorizationFetch, type JsonObject } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import type { Account } from "../account.ts";
import { authRequired, safeExcerptOf, nameServer, toAuthError, errorTextOf } from "../auth-errors.ts";
import type { OAuthModule } from "../load-oauth.ts";
import { assertEndpoint, readServerMetadata, type ServerMetadata } from "./server-metadata.ts";

/** Who reads metadata, and until when. */
export interface MetadataReader {
  readonly account: Account;
  readonly oauth: OAuthModule;
  readonly signal: AbortSignal;
}

/** What a server says of itself (RFC 9728). */
export interface ResourceMetadata {
  /** As it spells it. */
  readonly resource: string;
  readonly authorizationServers: readonly string[];
  readonly scopes: readonly string[];
  readonly wantsDpop: boolean;
}

const mostServers = 16;

/**
 * What a server says of itself, from where its refusals say, else from its well-known places;
 * `undefined` when there is nothing that can be used. Rejects when that cannot be known now, and
 * when there is nothing where the refusals say: what lies elsewhere may name another issuer.
 */
export async function readResourceMetadata(reader: MetadataReader): Promise<ResourceMetadata | undefined> {
  const { account } = reader;
  const named = account.hints.metadataUrl;
  if (named === undefined) return readResourceMetadataAt(reader, undefined);
  const url = ownMetadataUrl(account, named);
  const metadata = url && (await readResourceMetadataAt(reader, url));
  if (metadata !== undefined) return metadata;
  const why = url === undefined ? "is not on its own origin" : "has no metadata of a protected resource";
  throw authRequired(
    account,
    `its refusal says that its metadata are at ${safeExcerptOf(account, named)}, which ${why}; nothing else was tried (resource_metadata, RFC 9728)`,
  );
}

// Elsewhere it could be anything in the host's network (RFC 9728, 3). A server behind a proxy with
// TLS often says `http:` of its own name.
function ownMetadataUrl({ serverUrl }: Account, named: string): URL | undefined {
  if (!URL.canParse(named)) return undefined;
  const url = new URL(named);
  if (url.protocol === "http:" && url.port === "" && serverUrl.port === "") url.protocol = serverUrl.protocol;
  return url.origin === serverUrl.origin ? url : undefined;
}

async function readResourceMetadataAt(
  { account, oauth, signal }: MetadataReader,
  resourceMetadataUrl: URL | undefined,
): Promise<ResourceMetadata | undefined> {
  const watched = watchMetadataFetch(account.fetch, signal);
  let metadata;
  try {
    const at = resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl };
    metadata = await oauth.discoverOAuthProtectedResourceMetadata(account.serverUrl, at, watched.fetchFn);
  } catch {
    const trouble = watched.trouble();
    if (trouble !== undefined) throw outOfOrder(account, trouble, "its protected resource metadata");
    if (watched.failure() !== undefined) throw toAuthError(watched.failure(), account, "reading its metadata");
    // Not there, or none of it can be used: an older server, or a page for people on every path.
    return undefined;
  }
  return {
    resource: metadata.resource,
    authorizationServers: (metadata.authorization_servers ?? []).slice(0, mostServers),
    scopes: metadata.scopes_supported ?? [],
    wantsDpop: metadata.dpop_bound_access_tokens_required === true,
  };
}

/**
 * The metadata of an authorization server (RFC 8414, or OpenID Connect Discovery); `undefined` when
 * it has none. Its issuer is the one asked for.
 */
export async function readAuthorizationServer(
  { account, oauth, signal }: MetadataReader,
  issuer: string,
): Promise<ServerMetadata | undefined> {
  assertEndpoint(account, "issuer", issuer);
  const watched = watchMetadataFetch(account.fetch, signal);
  let metadata;
  try {
    metadata = await oauth.discoverAuthorizationServerMetadata(issuer, { fetchFn: watched.fetchFn });
  } catch (error) {
    const trouble = watched.trouble();
    if (trouble !== undefined) throw outOfOrder(account, trouble, "the metadata of its authorization server");
    if (watched.failure() !== undefined) {
      throw toAuthError(watched.failure(), account, "reading the metadata of its authorization server");
    }
    if (error instanceof oauth.IssuerMismatchError) throw otherIssuer(account, issuer);
    throw malformed(account, issuer, error);
  }
  return metadata === undefined ? undefined : readServerMetadata(account, withoutStandIn(metadata));
}

// No endpoint has a fragment (RFC 6749, 3.1).
const standIn = "#no-page";

/**
 * The SDK wants an authorization endpoint of every server. One that only gives tokens to programs
 * has none (RFC 8414, 2), and says so by its grant types: it gets one here that
 * {@linkcode withoutStandIn} takes away again.
 */
function withStandIn(metadata: JsonObject): JsonObject {
  const { authorization_endpoint: page, token_endpoint: tokens, grant_types_supported: grants } = metadata;
  const hasPages = !Array.isArray(grants) || grants.includes("authorization_code") || grants.includes("implicit");
  if (hasPages || page !== undefined || typeof tokens !== "string") return metadata;
  return { ...metadata, authorization_endpoint: `${tokens}${standIn}` };
}

function withoutStandIn(metadata: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { authorization_endpoint: page, ...others } = metadata;
  return page === `${String(metadata["token_endpoint"])}${standIn}` ? others : metadata;
}

/**
 * What the SDK wants of a document at the place of OpenID Connect, and OAuth has no use for: many
 * servers publish metadata of RFC 8414 there.
 */
function standInsAt(url: string | URL): JsonObject {
  return new URL(url).pathname.includes("/openid-configuration")
    ? { jwks_uri: new URL("/", url).href, subject_types_supported: [], id_token_signing_alg_values_supported: [] }
    : {};
}

interface Trouble {
  readonly status: number;
  readonly url: URL;
}

interface WatchedFetch {
  readonly fetchFn: AuthorizationFetch;
  /** What there was no answer for. */
  readonly failure: () => unknown;
  /** The latest answer, if a server gave it that is out of order. */
  readonly trouble: () => Trouble | undefined;
}

// A page for people, with status 200 on every path, is no metadata, and the next place is asked.
function watchMetadataFetch(fetch: AuthorizationFetch, signal: AbortSignal): WatchedFetch {
  let failure: unknown;
  let trouble: Trouble | undefined;
  return {
    failure: () => failure,
    trouble: () => trouble,
    async fetchFn(url, init) {
      trouble = undefined;
      let response: Response;
      let text: string;
      try {
        response = await fetch(url, { ...init, signal });
        text = await response.text();
      } catch (error) {
        failure = error;
        throw error;
      }
      const { status } = response;
      if (status >= 500 || status === 429) trouble = { status, url: new URL(url) };
      // The SDK would take "later" for "not here".
      if (!response.ok) return new Response(null, { status: status === 429 ? 503 : status });
      const json = parseObject(text);
      if (json === undefined) return new Response(null, { status: 404 });
      return Response.json({ ...standInsAt(url), ...withStandIn(json) });
    },
  };
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    // Not JSON.
    return undefined;
  }
}

function outOfOrder({ serverId }: Account, { status, url }: Trouble, what: string): HostsideError {
  return new HostsideError(`${nameServer(serverId)}: HTTP ${status} from ${redactUrl(url.href)} instead of ${what}`, {
    code: status === 429 ? "rate_limited" : "http_error",
    serverId,
    outcome: "not-sent",
    retryable: true,
    details: { operation: "authorization discovery", httpStatus: status },
  });
}

function otherIssuer(account: Account, issuer: string): HostsideError {
  return authRequired(
    account,
    `the metadata at ${safeExcerptOf(account, issuer)} name another issuer than that; they were not used (RFC 8414, 3.3)`,
  );
}

function malformed(account: Account, issuer: string, error: unknown): HostsideError {
  const reason = error instanceof Error ? safeExcerptOf(account, errorTextOf(error)) : "";
  return authRequired(account, `the metadata of ${safeExcerptOf(account, issuer)} cannot be used: ${reason}`);
}
