import { HostsideError } from "@hostside/core";
import { kindOf } from "@hostside/core/implement";

/** What a user came back with. Untrusted: anybody can send a browser anywhere. */
export interface AuthorizationResponse {
  readonly url: URL;
  readonly state: string;
  readonly code: string | undefined;
  readonly iss: string | undefined;
  readonly error: string | undefined;
  readonly description: string | undefined;
}

const longestUrl = 65_536;
// As they are made here.
const stateText = /^[A-Za-z0-9_-]{43}$/;

/**
 * Reads the URL that a user came back with, or its path and query. Throws `auth_required` for what
 * is none: a code alone says neither whose it is nor from where, and anybody can have a user paste
 * one. A `TypeError` for what is neither a URL nor a text.
 */
export function readCallback(callback: URL | string): AuthorizationResponse {
  const url = toUrl(callback);
  // One of two could be somebody else's (RFC 6749, 3.1).
  const read = (name: string): string | undefined => {
    const values = url.searchParams.getAll(name);
    if (values.length > 1) throw unusable(`it has ${name} more than once`);
    return values[0];
  };
  const state = read("state");
  if (state === undefined) throw unusable("it has no state, by which the sign-in is recognised");
  if (!stateText.test(state)) throw unusable("its state was not made by this host");
  return {
    url,
    state,
    code: read("code"),
    iss: read("iss"),
    error: read("error"),
    description: read("error_description"),
  };
}

function toUrl(callback: unknown): URL {
  if (callback instanceof URL) return callback;
  if (typeof callback !== "string") {
    throw new TypeError(`the callback URL must be a URL or a string, not ${kindOf(callback)}`);
  }
  const text = callback.trim();
  // A server knows the path and the query of a request.
  const base = /^\/(?![/\\])/.test(text) ? "http://localhost" : undefined;
  if (text.length <= longestUrl && URL.canParse(text, base)) return new URL(text, base);
  throw unusable("it is neither a URL nor a path with a query: hand over all of it, not the code alone");
}

function unusable(why: string): HostsideError {
  return new HostsideError(`no pending OAuth authorization belongs to this callback: ${why}`, {
    code: "auth_required",
    details: { reason: "wrong-url" },
  });
}
