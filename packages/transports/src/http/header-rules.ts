// RFC 9110, 5.6.2: a header name is a token.
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
// RFC 9110, 5.5, without obs-text: nothing that could end the line or that two peers could read differently.
const fieldValue = /^[\t\u0020-\u007E]*$/;

/** What the transport derives from the message or the connection, and what HTTP itself needs to frame a request. */
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

const credentials: ReadonlySet<string> = new Set(["authorization", "cookie", "proxy-authorization"]);

/** Whether `name` is a legal header name. */
export function isHeaderName(name: string): boolean {
  return token.test(name);
}

/** Whether `value` can be sent as it is: tab and printable ASCII only, so no line break can start another header. */
export function isHeaderValue(value: string): boolean {
  return fieldValue.test(value);
}

/** Whether a header belongs to the protocol, so that a configuration may not set it. Case-insensitive. */
export function isReservedHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return reserved.has(lower) || lower.startsWith("mcp-param-");
}

/** Whether a header is taken to carry credentials (AD-14). Case-insensitive. */
export function isCredentialHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return credentials.has(lower) || lower.startsWith("x-api") || lower.startsWith("x-auth");
}
