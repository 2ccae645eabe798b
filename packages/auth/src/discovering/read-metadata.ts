import { redactUrl, type HostsideError, type JsonObject, type JsonValue } from "@hostside/core";
import { latestLegacyRevision, isConfidentialUrl, isLoopbackUrl } from "@hostside/core/implement";
import type { Account } from "../account.ts";
import { authRequired, readAnswer, safeExcerptOf, serverError } from "../auth-errors.ts";
import { parseObject } from "../store/credential-store.ts";
import type { StoredMetadata } from "../accounts/stored-account.ts";

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

const endpointNames = [
  "authorization_endpoint",
  "token_endpoint",
  "registration_endpoint",
  "revocation_endpoint",
] as const;
const listNames = [
  "response_types_supported",
  "grant_types_supported",
  "scopes_supported",
  "code_challenge_methods_supported",
  "token_endpoint_auth_methods_supported",
  "token_endpoint_auth_signing_alg_values_supported",
  "revocation_endpoint_auth_methods_supported",
  "dpop_signing_alg_values_supported",
] as const;
const flagNames = ["authorization_response_iss_parameter_supported", "client_id_metadata_document_supported"] as const;

const mostEntries = 256;
const longestEntry = 512;
const longestUrl = 2048;

/**
 * The used members of an authorization server's metadata (RFC 8414). A page of them may be of any
 * length; this is not.
 */
export interface ServerMetadata extends StoredMetadata {
  readonly authorization_endpoint?: string | undefined;
  readonly registration_endpoint?: string | undefined;
  readonly revocation_endpoint?: string | undefined;
}

/**
 * The known members of metadata. Throws `auth_required` when an endpoint is no `https:` URL, nor
 * one of this machine; that one counts only for who was sent there by a server of this machine, or
 * by the host's own configuration: what is far away does not send credentials inside.
 */
export function readServerMetadata(account: Account, source: Readonly<Record<string, unknown>>): ServerMetadata {
  const { issuer, token_endpoint: tokenEndpoint } = source;
  if (typeof issuer !== "string" || typeof tokenEndpoint !== "string") {
    throw authRequired(
      account,
      "the metadata of its authorization server cannot be used: they have no issuer or no token_endpoint",
    );
  }
  const kept: Record<string, JsonValue> = {};
  for (const name of endpointNames) {
    const endpoint = source[name];
    if (endpoint === undefined) continue;
    assertEndpoint(account, name, endpoint);
    kept[name] = endpoint;
  }
  for (const name of listNames) {
    const list = source[name];
    if (Array.isArray(list)) kept[name] = list.filter(isEntry).slice(0, mostEntries);
  }
  for (const name of flagNames) if (source[name] === true) kept[name] = true;
  return { ...kept, issuer, token_endpoint: tokenEndpoint };
}

/**
 * Throws `auth_required` when neither credentials nor a user must be sent to what a server names.
 */
function assertEndpoint(account: Account, name: string, endpoint: unknown): asserts endpoint is string {
  const url =
    typeof endpoint === "string" && endpoint.length <= longestUrl && URL.canParse(endpoint)
      ? new URL(endpoint)
      : undefined;
  if (url === undefined || !isConfidentialUrl(url)) {
    const place = url === undefined ? "no URL" : `${url.protocol.slice(0, 20)} URL`;
    throw authRequired(
      account,
      `its authorization server's ${name} is ${place === "no URL" ? place : `a ${place}`}; credentials are sent to https: alone, and to this machine`,
    );
  }
  if (url.username !== "" || url.password !== "") {
    throw authRequired(
      account,
      `its authorization server's ${name} has a user name before its host, by which a page looks like that of somebody else; nobody is sent there`,
    );
  }
  if (isLoopbackUrl(url) && !mayPointInside(account)) {
    throw authRequired(
      account,
      `its authorization server's ${name} is on this machine, and the server is not; nothing was sent there. If it is meant, configure the issuer of this server`,
    );
  }
}

function mayPointInside({ serverUrl, config }: Account): boolean {
  if (isLoopbackUrl(serverUrl)) return true;
  return config.issuer !== undefined && isLoopbackUrl(new URL(config.issuer));
}

/** One endpoint; `undefined` when there is none. */
export function textOf(metadata: JsonObject, name: (typeof endpointNames)[number]): string | undefined {
  const text = metadata[name];
  return typeof text === "string" ? text : undefined;
}

/** A member that is a list of texts; `undefined` when there is none. */
export function listOf(metadata: JsonObject, name: (typeof listNames)[number]): string[] | undefined {
  const list = metadata[name];
  return Array.isArray(list) ? list.filter(isEntry) : undefined;
}

function isEntry(value: unknown): value is string {
  return typeof value === "string" && value.length <= longestEntry;
}
