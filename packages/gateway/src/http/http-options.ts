import { assertKnownOptions, isJsonObject, isPlainObject, kindOf, type Fields } from "@hostside/core/implement";
import type { JsonObject } from "@hostside/core";

/** The caller that a token lets in. */
export interface VerifiedToken {
  /** The principal of the requests: sessions, sign-ins and limits go by it. */
  readonly principal: string;
}

/** Why a token does not: it is none that counts, or it allows something else. */
export interface RefusedToken {
  readonly refused: "invalid_token" | "insufficient_scope";
  /** Scopes that would do, for the client to ask for. */
  readonly scope?: string | undefined;
}

/** The callers that are let in. */
export type GatewayHttpAuth =
  /**
   * Callers with this token, as `Authorization: Bearer …`; of several, any, and who has another one
   * is another client. Compared in constant time; at least 16 characters, as RFC 6750 has them.
   */
  | { readonly token: string | readonly string[] }
  /**
   * Callers with a token that this function knows: behind an OAuth authorization server, which
   * `resource` names to clients. A token never goes on to a server. If the function throws, or
   * takes longer than `limits.verifyTokenMs`, the answer is 503.
   */
  | {
      readonly verifyToken: (
        token: string,
        request: { readonly method: string; readonly path: string },
      ) => VerifiedToken | RefusedToken | Promise<VerifiedToken | RefusedToken>;
      readonly resource?: ProtectedResource | undefined;
    }
  /** Everybody who reaches it. For a server that somebody else guards. */
  | "none";

/** The gateway as a protected resource. https://www.rfc-editor.org/rfc/rfc9728 */
export interface ProtectedResource {
  /** The URL of the endpoint as clients know it, such as `https://tools.example.com/mcp`. */
  readonly url: string;
  readonly authorizationServers: readonly string[];
  readonly scopes?: readonly string[] | undefined;
  /** Further members of the metadata. */
  readonly metadata?: JsonObject | undefined;
}

/** How a gateway serves over HTTP. */
export interface GatewayHttpOptions {
  readonly auth: GatewayHttpAuth;
  /** Default `/mcp`. */
  readonly path?: string | undefined;
  /**
   * Names that a request may call this machine by, without a port; another `Host` is refused, which
   * a page that rebinds its name to this machine cannot help. Default: those of the loopback
   * interface, and that of `resource.url`.
   */
  readonly allowedHosts?: readonly string[] | undefined;
  /**
   * Origins of pages that may come in, such as `https://inspector.example.com`; `"*"` is all.
   * Default: pages of the loopback interface. A request without an `Origin` is of no page.
   */
  readonly allowedOrigins?: readonly string[] | undefined;
}

/** Options with their defaults. */
export interface HttpSettings {
  readonly auth: GatewayHttpAuth;
  readonly tokens: readonly string[];
  readonly path: string;
  readonly hosts: ReadonlySet<string>;
  readonly isAllowedOrigin: (origin: string) => boolean;
  /** The path and content of `/.well-known/oauth-protected-resource`. */
  readonly resource: { readonly path: string; readonly url: string; readonly metadata: JsonObject } | undefined;
}

/** The names of the options. */
export const httpOptionFields: Fields<GatewayHttpOptions> = {
  auth: true,
  path: true,
  allowedHosts: true,
  allowedOrigins: true,
};
const loopbackNames = ["localhost", "127.0.0.1", "[::1]"];
const shortestToken = 16;

/** Throws a `TypeError` that names the option that is missing, unknown or of a wrong type. */
export function readHttpOptions(options: GatewayHttpOptions): HttpSettings {
  assertKnownOptions("http()", options, httpOptionFields);
  const { auth, path = "/mcp", allowedHosts, allowedOrigins } = options;
  if (typeof path !== "string" || !path.startsWith("/"))
    throw new TypeError('path must be a text that begins with "/"');
  const resource = isPlainObject(auth) && "resource" in auth ? readResource(auth["resource"]) : undefined;
  const ownHost = resource === undefined ? [] : [new URL(resource.url).hostname];
  const hosts = readTexts("allowedHosts", allowedHosts) ?? [...loopbackNames, ...ownHost];
  const origins = readTexts("allowedOrigins", allowedOrigins);
  return {
    auth,
    tokens: readAuth(auth),
    path,
    hosts: new Set(hosts.map((host) => host.toLowerCase())),
    isAllowedOrigin:
      origins === undefined ? isLoopbackOrigin : (origin) => origins.includes("*") || origins.includes(origin),
    resource,
  };
}

function readAuth(auth: unknown): readonly string[] {
  if (auth === "none") return [];
  if (!isPlainObject(auth)) {
    throw new TypeError('auth must have a token or a verifyToken, or be "none" where somebody else guards the gateway');
  }
  const { token, verifyToken } = auth;
  if (token === undefined && typeof verifyToken === "function") {
    assertKnownOptions("auth", auth, { verifyToken: true, resource: true });
    return [];
  }
  assertKnownOptions("auth", auth, { token: true });
  const tokens: readonly unknown[] = Array.isArray(token) ? token : [token];
  if (tokens.length > 0 && tokens.every(isToken)) return tokens;
  throw new TypeError(
    `auth.token must be a text of at least ${shortestToken} letters, digits and -._~+/ (and = at its end), or several`,
  );
}

/**
 * Tells if an `Authorization` header can carry it.
 * https://www.rfc-editor.org/rfc/rfc6750#section-2.1
 */
function isToken(value: unknown): value is string {
  return typeof value === "string" && value.length >= shortestToken && /^[\w\-.~+/]+=*$/.test(value);
}

function readTexts(option: string, value: unknown): readonly string[] | undefined {
  if (value === undefined) return undefined;
  if (Array.isArray(value) && value.every((one) => typeof one === "string" && one !== ""))
    return value as readonly string[];
  throw new TypeError(`${option} must be an array of texts that are not empty, not ${kindOf(value)}`);
}

function readResource(resource: unknown): HttpSettings["resource"] {
  if (resource === undefined) return undefined;
  if (!isPlainObject(resource) || typeof resource["url"] !== "string" || !URL.canParse(resource["url"])) {
    throw new TypeError("auth.resource.url must be the URL of the endpoint as clients know it");
  }
  const servers = readTexts("auth.resource.authorizationServers", resource["authorizationServers"]) ?? [];
  if (servers.length === 0) throw new TypeError("auth.resource.authorizationServers must name one at least");
  const scopes = readTexts("auth.resource.scopes", resource["scopes"]);
  const { origin, pathname } = new URL(resource["url"]);
  // RFC 9728, section 3.1: the well-known part stands between the host and the path.
  const path = `/.well-known/oauth-protected-resource${pathname === "/" ? "" : pathname}`;
  const metadata = {
    ...(isJsonObject(resource["metadata"]) ? resource["metadata"] : {}),
    resource: resource["url"],
    authorization_servers: servers,
    ...(scopes !== undefined && { scopes_supported: scopes }),
    bearer_methods_supported: ["header"],
  };
  return { path, url: `${origin}${path}`, metadata };
}

// What is no web page has an origin of a scheme of its own, such as `capacitor://localhost` of an
// app, in which there may be anybody's page.
function isLoopbackOrigin(origin: string): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, hostname } = new URL(origin);
  return (protocol === "http:" || protocol === "https:") && loopbackNames.includes(hostname);
}
