import { redactUrl, type HostsideError, type JsonObject } from "@hostside/core";
import { latestLegacyRevision } from "@hostside/core/implement";
import type { Account } from "../account.ts";
import { authRequired, readAnswer, safeExcerptOf, serverError } from "../auth-errors.ts";
import { parseObject } from "../store/credential-key.ts";
import { assertEndpoint, readServerMetadata, type ServerMetadata } from "./server-metadata.ts";

/** An account whose metadata are read, and the end of that. */
export interface MetadataReader {
  readonly account: Account;
  readonly signal: AbortSignal;
}

/** Metadata of a protected resource (RFC 9728). */
export interface ResourceMetadata {
  /** The spelling is the server's own. */
  readonly resource: string;
  readonly authorizationServers: readonly string[];
  readonly scopes: readonly string[];
  readonly wantsDpop: boolean;
}

const mostServers = 16;

/**
 * Reads the metadata of a server from where its refusals say, else from its well-known places;
 * `undefined` when there is nothing that can be used. Rejects when that cannot be known now, and
 * when there is nothing where the refusals say: what lies elsewhere may name another issuer.
 */
export async function readResourceMetadata(reader: MetadataReader): Promise<ResourceMetadata | undefined> {
  const { account } = reader;
  const named = account.hints.metadataUrl;
  if (named === undefined) return readResourceMetadataAt(reader, wellKnownPlaces(account.serverUrl));
  const url = ownMetadataUrl(account, named);
  const metadata = url && (await readResourceMetadataAt(reader, [url]));
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

// At the path of the server, then at its root.
function wellKnownPlaces(serverUrl: URL): readonly URL[] {
  const root = new URL("/.well-known/oauth-protected-resource", serverUrl);
  if (serverUrl.pathname === "/") return [new URL(`${root.pathname}${serverUrl.search}`, serverUrl)];
  const own = new URL(`${root.pathname}${serverUrl.pathname.replace(/\/$/, "")}${serverUrl.search}`, serverUrl);
  return [own, root];
}

async function readResourceMetadataAt(
  reader: MetadataReader,
  places: readonly URL[],
): Promise<ResourceMetadata | undefined> {
  const isUsable = ({ resource }: JsonObject): boolean => typeof resource === "string" && URL.canParse(resource);
  const found = await readFirst(reader, places, { what: "its protected resource metadata", isUsable });
  const resource = found?.["resource"];
  if (found === undefined || typeof resource !== "string") return undefined;
  return {
    resource,
    authorizationServers: textsOf(found["authorization_servers"]).slice(0, mostServers),
    scopes: textsOf(found["scopes_supported"]),
    wantsDpop: found["dpop_bound_access_tokens_required"] === true,
  };
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];
}

/**
 * The metadata of an authorization server (RFC 8414, or OpenID Connect Discovery); `undefined` when
 * it has none. Its issuer is the one asked for.
 */
export async function readAuthorizationServer(
  reader: MetadataReader,
  issuer: string,
): Promise<ServerMetadata | undefined> {
  const { account } = reader;
  assertEndpoint(account, "issuer", issuer);
  const found = await readFirst(reader, metadataUrls(issuer), { what: "the metadata of its authorization server" });
  if (found === undefined) return undefined;
  const { issuer: named } = found;
  if (typeof named === "string" && issuer !== named && issuer !== `${named}/`) {
    throw authRequired(
      account,
      `the metadata at ${safeExcerptOf(account, issuer)} name another issuer than that; they were not used (RFC 8414, 3.3)`,
    );
  }
  return readServerMetadata(account, found);
}

/**
 * The places of an issuer's metadata, in the order of the specification: RFC 8414, 3.1, and 5 for
 * OpenID Connect.
 */
function metadataUrls(issuer: string): readonly URL[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, "");
  const openId = "/.well-known/openid-configuration";
  const paths = [`/.well-known/oauth-authorization-server${path}`, `${openId}${path}`];
  return [...paths, ...(path === "" ? [] : [`${path}${openId}`])].map((one) => new URL(origin + one));
}

/**
 * The first JSON object at some places. A page for people, with status 200 on every path, is none.
 * Rejects when a server is out of order or does not answer.
 */
async function readFirst(
  reader: MetadataReader,
  places: readonly URL[],
  { what, isUsable = () => true }: { readonly what: string; readonly isUsable?: (found: JsonObject) => boolean },
): Promise<JsonObject | undefined> {
  const { account } = reader;
  for (const [index, url] of places.entries()) {
    const { response, text } = await readAnswer(account, `reading ${what}`, () => ask(reader, url));
    const { status } = response;
    // Some proxies answer 502 for what is not there.
    const isElsewhere = status === 502 && index < places.length - 1;
    if ((status >= 500 || status === 429) && !isElsewhere) throw outOfOrder(account, { status, url }, what);
    const found = response.ok ? parseObject(text) : undefined;
    if (found !== undefined && isUsable(found)) return found;
  }
  return undefined;
}

// The revision is the host's own. It is said to the MCP server, and to no authorization server
// elsewhere (specification of 2025-03-26, 2.3.1, and of the later transports). A server of another
// revision may refuse it.
async function ask({ account, signal }: MetadataReader, url: URL): Promise<Response> {
  const headers = { accept: "application/json" };
  if (url.origin === account.serverUrl.origin) {
    const withRevision = { ...headers, "mcp-protocol-version": latestLegacyRevision };
    const response = await account.fetch(url, { headers: withRevision, signal });
    if (response.status !== 400) return response;
    await response.body?.cancel();
  }
  return account.fetch(url, { headers, signal });
}

function outOfOrder(
  account: Account,
  { status, url }: { readonly status: number; readonly url: URL },
  what: string,
): HostsideError {
  return serverError(account, `HTTP ${status} from ${redactUrl(url.href)} instead of ${what}`, {
    code: status === 429 ? "rate_limited" : "http_error",
    outcome: "not-sent",
    retryable: true,
    details: { operation: "authorization discovery", httpStatus: status },
  });
}
