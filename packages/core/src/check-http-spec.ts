import { specError, type HttpEntry, type ServerSpec } from "./server-spec.ts";

/**
 * Checks what only the HTTP transports know about a spec: its URL, its headers, and that no
 * credential would cross the network in the clear. Specs of other kinds pass. Pure; expects a spec
 * that passed `assertServerSpec`.
 *
 * Throws `invalid_spec`, naming the field and the rule, never a value.
 */
export function checkHttpSpec(spec: ServerSpec): void {
  if (spec.url === undefined) return;
  const { id } = spec;
  const url = parseHttpUrl(id, spec.url);
  checkTls(id, spec, url);
  const carriers = [...checkHeaders(id, spec.headers ?? {}), ...checkCredentials(id, spec)];
  const exposed = isConfidentialUrl(url) ? undefined : carriers[0];
  if (exposed !== undefined) {
    throw specError(id, exposed, "carries credentials, which need an https: URL or a loopback address");
  }
}

/** The bearer token as it is sent: trimmed; `undefined` when there is none to speak of. */
export function bearerTokenOf(entry: HttpEntry): string | undefined {
  return entry.bearerToken?.trim() || undefined;
}

function parseHttpUrl(id: string, text: string): URL {
  const field = "url";
  // `localhost:3000/mcp` is a URL, of the scheme `localhost:`.
  const hint = /^[\w.-]+(?::\d|\/|$)/.test(text) ? '; write "http://" or "https://" in front of its host' : "";
  if (!URL.canParse(text)) throw specError(id, field, `must be an absolute http: or https: URL${hint}`);
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw specError(id, field, `must be http: or https:${hint}`);
  if (url.username !== "" || url.password !== "") {
    throw specError(id, field, "must not contain a user name or password; use headers or bearerToken");
  }
  if (url.hash !== "") throw specError(id, field, "must not have a fragment");
  return url;
}

function checkTls(id: string, { tls }: HttpEntry, { protocol }: URL): void {
  if (tls === undefined) return;
  const { ca, cert, key } = tls;
  if (cert !== undefined && protocol !== "https:") throw specError(id, "tls.cert", "needs an https: URL");
  if ((cert === undefined) !== (key === undefined)) throw specError(id, "tls", "must have cert and key, or neither");
  const texts = { ca: [ca ?? []].flat(), cert: [cert ?? []].flat(), key: [key ?? []].flat() };
  const wrong = Object.entries(texts).find(([, pems]) => pems.some((pem) => !pem.includes("-----BEGIN ")));
  if (wrong !== undefined) throw specError(id, `tls.${wrong[0]}`, 'must be PEM, with a line "-----BEGIN …"');
}

/** Returns the fields that carry credentials. */
function checkHeaders(id: string, headers: Readonly<Record<string, string>>): readonly string[] {
  const seen = new Set<string>();
  for (const [index, [name, value]] of Object.entries(headers).entries()) {
    // What is no name may be a whole header line, value and all, so it is not quoted.
    if (!isHeaderName(name)) throw specError(id, "headers", `has an illegal header name (number ${index + 1})`);
    const field = headerField(name);
    if (isReservedHeader(name)) throw specError(id, field, "is set by the transport and cannot be configured");
    if (!isHeaderValue(value)) throw specError(id, field, "may contain only tabs and printable ASCII characters");
    if (seen.has(name.toLowerCase())) throw specError(id, field, "is given twice; header names ignore case");
    seen.add(name.toLowerCase());
  }
  return Object.keys(headers).filter(isCredentialHeader).map(headerField);
}

/** Returns the fields that carry credentials. */
function checkCredentials(id: string, entry: HttpEntry): readonly string[] {
  const token = bearerTokenOf(entry);
  const header = Object.keys(entry.headers ?? {}).find((name) => name.toLowerCase() === "authorization");
  if (token !== undefined && !isHeaderValue(token)) {
    throw specError(id, "bearerToken", "may contain only tabs and printable ASCII characters");
  }
  if (token !== undefined && entry.auth !== undefined) {
    throw specError(id, "bearerToken", "cannot be set together with auth");
  }
  if (header !== undefined && (token !== undefined || entry.auth !== undefined)) {
    const other = token === undefined ? "auth" : "bearerToken";
    throw specError(id, headerField(header), `cannot be set together with ${other}`);
  }
  return [...(token === undefined ? [] : ["bearerToken"]), ...(entry.auth === undefined ? [] : ["auth"])];
}

function headerField(name: string): string {
  return `headers.${name}`;
}

// RFC 9110, 5.6.2: a header name is a token.
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
// RFC 9110, 5.5, without obs-text: nothing that could end the line or that two peers could read
// differently.
const fieldValue = /^[\t\u0020-\u007E]*$/;

/**
 * Headers that the transport derives from the message or the connection, and what HTTP itself needs
 * to frame a request.
 */
const reserved: ReadonlySet<string> = new Set(
  (
    "accept accept-encoding connection content-encoding content-length content-type expect host keep-alive last-event-id " +
    "mcp-method mcp-name mcp-protocol-version mcp-session-id proxy-connection te trailer transfer-encoding upgrade"
  ).split(" "),
);

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

// The URL parser has normalised the host by then: `127.1` is `127.0.0.1`, and user info is not part
// of it.
const loopback = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Whether this URL does not leave this machine. */
export function isLoopbackUrl(url: URL): boolean {
  return loopback.test(url.hostname);
}

/**
 * Whether credentials may travel to this URL, and a user be sent there: it is `https:`, or `http:`
 * on this machine.
 */
export function isConfidentialUrl(url: URL): boolean {
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopbackUrl(url));
}
