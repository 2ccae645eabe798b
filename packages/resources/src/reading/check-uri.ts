import { HostsideError } from "@hostside/core";
import { inspectText, kindOf, quoteText } from "@hostside/core/implement";
import { longestUri } from "../listing/read-entry.ts";

// https://www.rfc-editor.org/rfc/rfc3986#section-3.1
const schemeOf = /^([A-Za-z][A-Za-z0-9+.-]{0,63}):/;

/** Reads the schemes that a host allows, in lower case; `undefined` for none, which allows all. Throws a `TypeError` that names `place`. */
export function readSchemes(schemes: readonly string[] | undefined, place: string): ReadonlySet<string> | undefined {
  if (schemes === undefined) return undefined;
  const isScheme = (scheme: unknown): boolean =>
    typeof scheme === "string" && schemeOf.exec(`${scheme}:`)?.[1] === scheme;
  if (!Array.isArray(schemes) || !schemes.every((scheme) => isScheme(scheme))) {
    throw new TypeError(`${place} must be an array of schemes without their colon, such as "file"`);
  }
  return schemes.length === 0 ? undefined : new Set(schemes.map((scheme) => scheme.toLowerCase()));
}

/** What a URI is for, and which ones are allowed. */
export interface UriRule {
  readonly serverId: string;
  /** Who was handed it, for a `TypeError`: `read()`. */
  readonly caller: string;
  readonly allowedSchemes: ReadonlySet<string> | undefined;
}

/**
 * Looks at a URI before anything is sent. It is a server's or a model's, and goes nowhere but to its server. Throws a `TypeError` for what is
 * no text or empty; `invalid_arguments` for one of more than 8,192 UTF-16 units, or with control characters, escape sequences or lone surrogates;
 * `not_allowed` for a scheme that the host does not allow.
 */
export function checkUri(uri: unknown, { serverId, caller, allowedSchemes }: UriRule): asserts uri is string {
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
  if (allowedSchemes === undefined) return;
  const scheme = schemeOf.exec(uri)?.[1]?.toLowerCase();
  if (scheme !== undefined && allowedSchemes.has(scheme)) return;
  const what = scheme === undefined ? "has no scheme, which is" : `has the scheme ${quoteText(scheme)}, which is`;
  throw refuse("not_allowed", `${what} not allowed by allowedSchemes`);
}

const unfit: ReadonlySet<string> = new Set(["ansi", "control", "lone-surrogate"]);
