// RFC 9110, 5.6.2: a header name is a token.
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
// RFC 9110, 5.5, without obs-text: nothing that could end the line or that two peers could read
// differently.
const fieldValue = /^[\t\u0020-\u007E]*$/;

/**
 * What the transport derives from the message or the connection, and what HTTP itself needs to
 * frame a request.
 */
const reserved: ReadonlySet<string> = new Set([
  "accept",
  "accept-encoding",
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "expect",
  "host",
  "keep-alive",
  "last-event-id",
  "mcp-method",
  "mcp-name",
  "mcp-protocol-version",
  "mcp-session-id",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

// Words of a name that say that the value is a credential, alone or at the end of a compound such
// as `accesstoken`.
const credentialWord =
  /^(?:.*(?:token|secret|password|passwd|passphrase|credentials?|authorization|authentication|cookie|apikey|accesskey|secretkey)s?|auth|authn|authz|key|keys|pwd|pat|jwt|bearer|assertion|signature|otp)$/;
// A key that opens nothing:
// https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header
const harmless: ReadonlySet<string> = new Set(["idempotency-key", "x-idempotency-key"]);

/** Whether `name` is a legal header name. */
export function isHeaderName(name: string): boolean {
  return token.test(name);
}

/**
 * Whether `value` can be sent as it is: tab and printable ASCII only, so no line break can start
 * another header.
 */
export function isHeaderValue(value: string): boolean {
  return fieldValue.test(value);
}

/**
 * Whether a header belongs to the protocol, so that a configuration may not set it.
 * Case-insensitive.
 */
export function isReservedHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return reserved.has(lower) || lower.startsWith("mcp-param-");
}

/**
 * Whether a header is taken to carry credentials: one of the words of its name says so, whoever
 * made it up, or it begins with `x-api` or `x-auth`. Better one too many than one too few: what is
 * taken for a credential only needs `https:` or a loopback address. Case-insensitive.
 */
export function isCredentialHeader(name: string): boolean {
  const lower = name.toLowerCase();
  if (harmless.has(lower) || isReservedHeader(lower)) return false;
  if (lower.startsWith("x-api") || lower.startsWith("x-auth")) return true;
  return lower.split(/[^a-z0-9]+/).some((word) => credentialWord.test(word));
}
