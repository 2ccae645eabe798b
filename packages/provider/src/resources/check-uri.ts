import { HostsideError } from "@hostside/core";
import { inspectText, kindOf, quoteText } from "@hostside/core/implement";

/** UTF-16 units of a URI or a template of one: more names nothing. */
export const longestUri = 8192;

/** UTF-16 units of a MIME type: a longer one is left out. */
export const longestMimeType = 256;

// https://www.rfc-editor.org/rfc/rfc3986#section-3.1
const schemeOf = /^([A-Za-z][A-Za-z0-9+.-]{0,63}):/;

/** Says whether a URI may be read. */
export type AllowUri = (uri: string) => boolean;

/**
 * Says whether a URI begins with one of these: a scheme without its colon (`file`), or the
 * beginning of a URI (`file:///srv/`). Schemes are compared in any case. Without beginnings every
 * URI is allowed.
 */
export function allowsUri(beginnings: readonly string[], uri: string): boolean {
  if (beginnings.length === 0) return true;
  const given = withLowerScheme(uri);
  return (
    given !== undefined && beginnings.some((one) => given.startsWith(withLowerScheme(one) ?? `${one.toLowerCase()}:`))
  );
}

function withLowerScheme(uri: string): string | undefined {
  const scheme = schemeOf.exec(uri)?.[1];
  return scheme === undefined ? undefined : scheme.toLowerCase() + uri.slice(scheme.length);
}

/** Reads what a host allows. Throws a `TypeError` that names `allowedUris`. */
export function readAllowedUris(allowed: readonly string[] | AllowUri | undefined): AllowUri {
  if (allowed === undefined) return () => true;
  if (typeof allowed === "function") return allowed;
  const isBeginning = (one: unknown): boolean =>
    typeof one === "string" && (schemeOf.test(one) || schemeOf.exec(`${one}:`)?.[1] === one);
  if (!Array.isArray(allowed) || !allowed.every((one) => isBeginning(one))) {
    throw new TypeError('allowedUris must be an array of schemes ("file") or beginnings of URIs ("file:///srv/")');
  }
  return (uri) => allowsUri(allowed, uri);
}

/** The use of a URI, and the rule for it. */
export interface UriRule {
  readonly serverId: string;
  /** The function that got it, for a `TypeError`: `read()`. */
  readonly caller: string;
  readonly allows: AllowUri;
}

/**
 * Looks at a URI before anything is sent. It is a server's or a model's, and goes nowhere but to
 * its server. Throws a `TypeError` for what is no text or empty; `invalid_arguments` for one of
 * more than 8,192 UTF-16 units, or with control characters, escape sequences or lone surrogates;
 * `not_allowed` for a URI that the host does not allow.
 */
export function checkUri(uri: unknown, { serverId, caller, allows }: UriRule): asserts uri is string {
  if (typeof uri !== "string" || uri === "") {
    throw new TypeError(`${caller} needs the URI of a resource, not ${uri === "" ? '""' : kindOf(uri)}`);
  }
  const refuse = (code: "invalid_arguments" | "not_allowed", why: string): HostsideError =>
    new HostsideError(`resource ${quoteText(uri)} of server ${JSON.stringify(serverId)} ${why}`, {
      code,
      serverId,
      outcome: "not-sent",
    });
  if (uri.length > longestUri) {
    throw refuse("invalid_arguments", `has a URI of ${uri.length} UTF-16 units; at most ${longestUri} are sent`);
  }
  if (/[\t\n]/.test(uri) || inspectText(uri).some((flag) => unfit.has(flag))) {
    throw refuse("invalid_arguments", "has a URI with control characters, or that is no well-formed text");
  }
  if (allows(uri)) return;
  throw refuse("not_allowed", "is none that this host allows (allowedUris, or allowedResourceUris of a configuration)");
}

const unfit: ReadonlySet<string> = new Set(["ansi", "control", "lone-surrogate"]);
