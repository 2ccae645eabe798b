import type { JsonObject, JsonValue } from "@hostside/core";
import { isConfidentialUrl, isLoopbackUrl } from "@hostside/core/implement";
import { authRequired } from "../auth-errors.ts";
import type { Account } from "../account.ts";
import type { StoredMetadata } from "../accounts/stored-account.ts";

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
export function assertEndpoint(account: Account, name: string, endpoint: unknown): asserts endpoint is string {
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
