import { HostsideError, cleanText, type CredentialHeaders, type HostsideErrorCode } from "@hostside/core";
import {
  isConfidentialUrl,
  isCredentialHeader,
  isHeaderName,
  isHeaderValue,
  isReservedHeader,
} from "@hostside/core/implement";
import type { TransportContext } from "../../context/transport-context.ts";
import type { HttpRequest } from "./http-exchange.ts";

const longestExcerpt = 100;

/**
 * Credentials as a request carries them, by lower-case names; `undefined` for none. Their values
 * are masked from now on wherever they are echoed. Throws, outcome `not-sent`, naming the header
 * and not its value: `auth_required` for a value that no header can carry, `internal_error` for
 * what whoever gave them got wrong.
 */
export function toRequestHeaders(
  credentials: CredentialHeaders,
  { serverId, secrets }: Pick<TransportContext, "secrets" | "serverId">,
): Record<string, string> | undefined {
  const refuse = (code: HostsideErrorCode, what: string): HostsideError =>
    new HostsideError(`the credentials for server ${JSON.stringify(serverId)} ${what}; nothing was sent`, {
      code,
      serverId,
      outcome: "not-sent",
    });
  if (typeof credentials !== "object" || credentials === null)
    throw refuse("internal_error", "are no object of headers");
  let headers: Record<string, string> | undefined;
  for (const name of Object.keys(credentials)) {
    const value = credentials[name];
    const lower = name.toLowerCase();
    if (!isHeaderName(name)) throw refuse("internal_error", `include ${quote(name)}, which is no name of a header`);
    if (isReservedHeader(lower)) throw refuse("internal_error", `include ${quote(name)}, which the transport sets`);
    if (typeof value !== "string") throw refuse("internal_error", `give ${quote(name)} a value that is no text`);
    // A proof of DPoP lets nobody in without its token, and one for each request would push out
    // what has to be masked.
    if (lower !== "dpop") learnValue(value, secrets.learn);
    if (!isHeaderValue(value)) throw refuse("auth_required", `give ${quote(name)} a value that no header can carry`);
    (headers ??= {})[lower] = value;
  }
  return headers;
}

// "Bearer abc" is echoed as a whole or as "abc" alone.
function learnValue(value: string, learn: (secret: string) => void): void {
  learn(value);
  const space = value.indexOf(" ");
  if (space !== -1) learn(value.slice(space + 1).trim());
}

function quote(name: string): string {
  return JSON.stringify(cleanText(name, longestExcerpt));
}

/**
 * The last check before a request leaves: whatever put them there, headers that carry credentials
 * only go where nobody else listens. Throws `invalid_spec`, naming the header.
 */
export function guardCredentials({ url, headers }: Pick<HttpRequest, "headers" | "url">, serverId: string): void {
  if (isConfidentialUrl(url)) return;
  const exposed = Object.keys(headers).find(isCredentialHeader);
  if (exposed === undefined) return;
  throw new HostsideError(`header ${exposed} would travel unencrypted to ${url.origin}; use https:`, {
    code: "invalid_spec",
    serverId,
    details: { field: `headers.${exposed}` },
  });
}

/**
 * A text as a header value: as it is when every recipient reads it the same way, or else as
 * `=?base64?…?=` of its UTF-8 bytes (2026-07-28, "Value Encoding"). A text that looks like the
 * latter is encoded too.
 */
export function encodeHeaderValue(text: string): string {
  const plain = text !== "" && isHeaderValue(text) && text === text.trim();
  if (plain && !(text.startsWith("=?base64?") && text.endsWith("?="))) return text;
  let bytes = "";
  for (const byte of new TextEncoder().encode(text)) bytes += String.fromCharCode(byte);
  return `=?base64?${btoa(bytes)}?=`;
}
