import type { JsonObject } from "@hostside/core";
import { parseObject } from "../engine/parse-json.ts";
import { kitInfo, legacyRevisions } from "./handshake.ts";
import type { HttpWire } from "./http-wire.ts";
import type { HttpRequest, HttpResponse } from "./raw-session.ts";
import type { ServerAddress } from "./server-address.ts";

/** What a server says to those who have no credentials, and where that leads. */
export interface AuthorizationSurface {
  /** The answer to a first request without credentials. */
  readonly refusal: HttpResponse;
  readonly challenge: Challenge | undefined;
  /** The protected resource's metadata (RFC 9728), from the first address that had it. */
  readonly resource: FoundDocument;
  /**
   * The metadata (RFC 8414 or OpenID Connect Discovery) of each authorization server that the
   * resource names, three at most.
   */
  readonly issuers: readonly IssuerDocument[];
}

/** A JSON document of a well-known address. */
export interface FoundDocument {
  /** Where it was looked for; the last one is where it was found, if it was. */
  readonly tried: readonly string[];
  readonly json: JsonObject | undefined;
}

/** That of an authorization server. */
export interface IssuerDocument extends FoundDocument {
  readonly issuer: string;
}

/** Where an HTTP server of either transport is. */
export type HttpAddress = Extract<ServerAddress, { readonly url: URL }>;

/**
 * The first request of a client, over either transport, with the headers given and no credentials
 * but those.
 */
export function firstRequest({ type }: HttpAddress, headers: Readonly<Record<string, string>> = {}): HttpRequest {
  if (type === "sse") return { method: "GET", headers: { accept: "text/event-stream", ...headers }, headersOnly: true };
  const params = { protocolVersion: legacyRevisions[0], capabilities: {}, clientInfo: kitInfo };
  return {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
    body: JSON.stringify({ jsonrpc: "2.0", id: "authorization-check", method: "initialize", params }),
  };
}

/**
 * Asks without credentials, and follows what is answered to the authorization server's metadata.
 * Sends no credentials to anybody.
 */
export async function readAuthorizationSurface(address: ServerAddress, wire: HttpWire): Promise<AuthorizationSurface> {
  if (address.type === "stdio") throw new TypeError("the target is not an HTTP server");
  const refusal = await wire.exchange(address.url, firstRequest(address));
  if (refusal.isLate) throw new Error(refusal.body);
  const challenge = bearerChallenge(refusal.headers.get("www-authenticate"));
  if (refusal.status !== 401) return { refusal, challenge, resource: { tried: [], json: undefined }, issuers: [] };
  const named = challenge?.params.get("resource_metadata");
  const resource = await findDocument(named === undefined ? resourceAddresses(address.url) : [named], wire);
  const servers = resource.json?.["authorization_servers"];
  const names = Array.isArray(servers) ? servers.filter((name): name is string => typeof name === "string") : [];
  const issuers = await Promise.all(
    names.slice(0, 3).map(async (issuer) => ({ issuer, ...(await findDocument(issuerAddresses(issuer), wire)) })),
  );
  return { refusal, challenge, resource, issuers };
}

async function findDocument(addresses: readonly string[], wire: HttpWire): Promise<FoundDocument> {
  const tried: string[] = [];
  for (const address of addresses) {
    tried.push(address);
    const json = await readJson(address, wire);
    if (json !== undefined) return { tried, json };
  }
  return { tried, json: undefined };
}

async function readJson(address: string, wire: HttpWire): Promise<JsonObject | undefined> {
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol)) return undefined;
  const response = await wire.exchange(new URL(address), { method: "GET", headers: { accept: "application/json" } });
  if (response.isLate) throw new Error(`${address}: ${response.body}`);
  // Many servers have a page for every address: no document.
  return response.status === 200 ? parseObject(response.body) : undefined;
}

function resourceAddresses(url: URL): readonly string[] {
  const name = "/.well-known/oauth-protected-resource";
  const atPath = new URL(`${name}${url.pathname === "/" ? "" : url.pathname}`, url).href;
  return [...new Set([atPath, new URL(name, url).href])];
}

function issuerAddresses(issuer: string): readonly string[] {
  if (!URL.canParse(issuer)) return [];
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, "");
  const inserted = ["oauth-authorization-server", "openid-configuration"].map(
    (name) => `${origin}/.well-known/${name}${path}`,
  );
  return [...new Set([...inserted, `${origin}${path}/.well-known/openid-configuration`])];
}

/** A challenge of `WWW-Authenticate` (RFC 9110, 11.6.1). */
export interface Challenge {
  /** In lower case, such as `bearer`. */
  readonly scheme: string;
  /** Their names in lower case. */
  readonly params: ReadonlyMap<string, string>;
}

const part = /([\w!#$%&'*+.^`|~-]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+)))?/g;

/** Reads a header of any length in linear time; what is no challenge is left out. */
export function readChallenges(header: string): readonly Challenge[] {
  const challenges: { scheme: string; params: Map<string, string> }[] = [];
  for (const [, name = "", quoted, bare] of header.slice(0, 8192).matchAll(part)) {
    if (quoted === undefined && bare === undefined) challenges.push({ scheme: name.toLowerCase(), params: new Map() });
    else challenges.at(-1)?.params.set(name.toLowerCase(), quoted?.replaceAll(/\\(.)/g, "$1") ?? bare ?? "");
  }
  return challenges;
}

/** The challenge that OAuth is about, if there is one. */
export function bearerChallenge(header: string | undefined): Challenge | undefined {
  return readChallenges(header ?? "").find(({ scheme }) => scheme === "bearer" || scheme === "dpop");
}
