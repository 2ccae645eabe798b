import type { ClientConfig } from "@hostside/auth";
import type { ServerExtras } from "@hostside/config";
import type { ServerSpec } from "@hostside/core";
import { isConfidentialUrl, isCredentialHeader } from "@hostside/core/implement";

const wellKnown = /^\/\.well-known\/(?:oauth-authorization-server|openid-configuration)(\/.*)?$/;
const wellKnownBehind = /^(.*)\/\.well-known\/openid-configuration$/;

/** The client that a server's entry in a configuration names; `undefined` when it names none. */
export function toClient(said: ServerExtras["oauth"]): ClientConfig | undefined {
  if (said === undefined) return undefined;
  const { flow, clientId, clientSecret, scopes, redirectUri, callbackPort, resource, metadataUrl } = said;
  const issuer = metadataUrl === undefined ? undefined : issuerOfMetadata(metadataUrl);
  const common = { clientSecret, scopes, resource, issuer };
  if (flow !== undefined && clientId !== undefined) return { ...common, flow, clientId };
  return {
    ...common,
    clientId,
    redirectUri: redirectUri ?? (callbackPort === undefined ? undefined : `http://localhost:${callbackPort}/callback`),
  };
}

/**
 * The issuer that a metadata document at this URL is of (RFC 8414, 3; OpenID Connect Discovery, 4);
 * `undefined` where that cannot be seen.
 */
export function issuerOfMetadata(metadataUrl: string): string | undefined {
  if (!URL.canParse(metadataUrl)) return undefined;
  const { origin, pathname } = new URL(metadataUrl);
  const [, path] = wellKnown.exec(pathname) ?? wellKnownBehind.exec(pathname) ?? [pathname, null];
  return path === null ? undefined : `${origin}${path ?? ""}`;
}

/**
 * Has a user sign in to a server over HTTP that has no credentials of its own, if it turns out to
 * want some.
 */
export function signInWhereAsked(spec: ServerSpec): ServerSpec {
  if (spec.url === undefined || spec.auth !== undefined || spec.bearerToken !== undefined) return spec;
  if (Object.keys(spec.headers ?? {}).some(isCredentialHeader)) return spec;
  if (!URL.canParse(spec.url) || !isConfidentialUrl(new URL(spec.url))) return spec;
  return { ...spec, auth: "oauth" };
}
