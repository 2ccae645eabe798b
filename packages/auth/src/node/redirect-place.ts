import { assertKnownOptions, systemClock, type Fields } from "@hostside/core/implement";
import type { Clock } from "@hostside/core";

/** What a redirect URI calls this machine. Some authorization servers take only one of them. */
export type LoopbackHost = "127.0.0.1" | "localhost" | "[::1]";

/** Options of `loopbackRedirect`. */
export interface LoopbackRedirectOptions {
  /**
   * What the redirect URI calls this machine; whatever it is, only this machine is listened to.
   * Default `"127.0.0.1"`.
   */
  readonly host?: LoopbackHost | undefined;
  /**
   * For an authorization server that takes one port alone. Default: the one that the client is
   * registered with, if it is free, else any.
   */
  readonly port?: number | undefined;
  /** Default `"/callback"`. */
  readonly path?: string | undefined;
  /**
   * The whole redirect URI, in place of `host`, `port` and `path`. Without a port in it, that is
   * 80.
   */
  readonly redirectUri?: URL | string | undefined;
  /**
   * How long a user may take, in milliseconds. Default 120,000: longer than it takes to sign in,
   * and a page that nobody looks at is not waited for.
   */
  readonly timeoutMs?: number | undefined;
  /** Default: the real time. */
  readonly clock?: Clock | undefined;
}

/** Where users are sent back to. */
export interface RedirectPlace {
  readonly host: LoopbackHost;
  /** `undefined`: any. */
  readonly port: number | undefined;
  readonly path: string;
  /** The whole URI, where it was given. */
  readonly uri?: string;
}

const fields: Fields<LoopbackRedirectOptions> = {
  host: true,
  port: true,
  path: true,
  redirectUri: true,
  timeoutMs: true,
  clock: true,
};
const hosts: readonly LoopbackHost[] = ["127.0.0.1", "localhost", "[::1]"];
const owner = "loopbackRedirect()";

/** The rule for redirect URIs on this machine. */
export const listenableUris = "must be an http: URL on 127.0.0.1, localhost or [::1], without user, query and fragment";

/** Reads the options. Throws a `TypeError` that names what cannot be used. */
export function readRedirectOptions(options: LoopbackRedirectOptions): {
  readonly place: RedirectPlace;
  readonly timeoutMs: number;
  readonly clock: Clock;
} {
  assertKnownOptions(owner, options, fields);
  const { timeoutMs = 120_000, clock = systemClock } = options;
  if (!(Number.isSafeInteger(timeoutMs) && timeoutMs > 0)) {
    throw new TypeError(`${owner}: timeoutMs must be a whole number of milliseconds, at least 1`);
  }
  return { place: readPlace(options), timeoutMs, clock };
}

/** The place of a redirect URI on this machine; `undefined` for any other URI. */
export function redirectPlaceOf(redirectUri: unknown): RedirectPlace | undefined {
  const uri = parse(redirectUri);
  if (uri?.protocol !== "http:" || uri.username + uri.password + uri.search + uri.hash !== "") return undefined;
  const host = hosts.find((one) => one === uri.hostname);
  const port = uri.port === "" ? 80 : Number(uri.port);
  if (host === undefined || port === 0) return undefined;
  // Authorization servers compare it byte for byte: as it was given, also where a parser would
  // write it otherwise.
  return { host, port, path: uri.pathname, uri: String(redirectUri) };
}

/**
 * The place of the redirect URI that a client is configured with: at any port when it names none
 * (RFC 8252, 7.3). `undefined` for a URI that nobody can listen at.
 */
export function configuredPlaceOf(redirectUri: string): RedirectPlace | undefined {
  const place = redirectPlaceOf(redirectUri);
  if (place === undefined || /^http:\/\/[^/]*:\d+(?:\/|$)/i.test(redirectUri)) return place;
  return { host: place.host, port: undefined, path: place.path };
}

/** The redirect URI of a place. */
export function uriOf({ host, path, uri }: RedirectPlace, port: number | undefined): string {
  return uri ?? `http://${host}:${port}${path}`;
}

function readPlace(options: LoopbackRedirectOptions): RedirectPlace {
  const { redirectUri, host = "127.0.0.1", port, path = "/callback" } = options;
  if (redirectUri !== undefined) {
    const place = redirectPlaceOf(redirectUri);
    if (place === undefined) {
      throw new TypeError(`${owner}: redirectUri ${listenableUris}`);
    }
    const other = (["host", "port", "path"] as const).find((name) => options[name] !== undefined);
    if (other !== undefined) throw new TypeError(`${owner}: redirectUri says it all; leave out ${other}`);
    return place;
  }
  if (!hosts.includes(host)) throw new TypeError(`${owner}: host must be one of ${hosts.join(", ")}`);
  if (port !== undefined && !(Number.isSafeInteger(port) && port > 0 && port < 65_536)) {
    throw new TypeError(`${owner}: port must be a whole number from 1 to 65535; without one, any free port is used`);
  }
  // What a URL parser would write otherwise is not what browsers would ask for.
  if (typeof path !== "string" || !path.startsWith("/") || parse(`http://${host}${path}`)?.pathname !== path) {
    throw new TypeError(`${owner}: path must be the path of a URL, such as "/callback"`);
  }
  return { host, port, path };
}

function parse(uri: unknown): URL | undefined {
  return (typeof uri === "string" || uri instanceof URL) && URL.canParse(String(uri)) ? new URL(uri) : undefined;
}
