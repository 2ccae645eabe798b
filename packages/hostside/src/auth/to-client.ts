import type { ClientConfig } from "@hostside/auth";
import type { ServerExtras } from "@hostside/config";

const wellKnown = /^\/\.well-known\/(?:oauth-authorization-server|openid-configuration)(\/.*)?$/;
const wellKnownBehind = /^(.*)\/\.well-known\/openid-configuration$/;

/** The client that a server's entry in a configuration names; `undefined` when it names none. */
export function toClient(said: ServerExtras["oauth"]): ClientConfig | undefined {
  if (said === undefined) return undefined;
  const { clientId, clientSecret, scopes, redirectUri, callbackPort, resource, metadataUrl } = said;
  return {
    clientId,
    clientSecret,
    scopes,
    resource,
    redirectUri: redirectUri ?? (callbackPort === undefined ? undefined : `http://localhost:${callbackPort}/callback`),
    issuer: metadataUrl === undefined ? undefined : issuerOfMetadata(metadataUrl),
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
