import { HostsideError, cleanText, redactUrl, type CallOutcome, type HostsideErrorCode } from "@hostside/core";
import { formatMs, safeCause, type Redactor } from "@hostside/core/implement";
import type { Proxy } from "../sockets/proxy-choice.ts";

/** The request that failed. */
export interface FailedRequest {
  readonly serverId: string;
  readonly url: URL;
  /**
   * True if bytes of it may have arrived; `undefined` when only the error can tell, as with a
   * foreign `fetch` before its response.
   */
  readonly sent: boolean | undefined;
  /** Masks what a server may echo. Default: nothing. */
  readonly redact?: Redactor | undefined;
}

interface Failure {
  readonly code: HostsideErrorCode;
  readonly summary: string;
  /** The failure is one of connecting. */
  readonly isConnecting?: boolean;
  /** The failure can only happen before the first byte of a request. */
  readonly beforeSending?: boolean;
}

const unreachable: Failure = { code: "unreachable", summary: "cannot connect to", isConnecting: true };
const tlsFailed: Failure = { code: "tls_failed", summary: "no trusted TLS connection to", isConnecting: true };
const notHttp: Failure = { code: "protocol_error", summary: "no valid HTTP answer from" };
const illegal: Failure = { code: "internal_error", summary: "cannot build a request to", beforeSending: true };
const cutOff: Failure = { code: "connection_closed", summary: "lost the connection to" };
const dnsFailed: Failure = {
  code: "dns_failed",
  summary: "cannot find the address of",
  isConnecting: true,
  beforeSending: true,
};

// Codes of Node's system errors, of its TLS and HTTP parser, of zlib, and of undici, which is
// Node's `fetch`. A certificate is looked at before anything is sent; other failures of TLS, and a
// route that is gone, can befall a connection at any time.
const failures: readonly (readonly [RegExp, Failure])[] = [
  [/^(?:ENOTFOUND$|EAI_)/, dnsFailed],
  [/^(?:ERR_TLS_CERT_|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_)/, { ...tlsFailed, beforeSending: true }],
  [/^(?:ERR_TLS_|ERR_SSL_|EPROTO$)/, tlsFailed],
  [/^(?:ECONNREFUSED|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT)$/, { ...unreachable, beforeSending: true }],
  [/^(?:EHOSTUNREACH|ENETUNREACH)$/, unreachable],
  [/^(?:HPE_|HTTP 101$|Z_|ERR__ERROR_|UND_ERR_HEADERS_OVERFLOW$)/, notHttp],
  [/^(?:ERR_INVALID_|ERR_HTTP_|ERR_UNESCAPED_|UND_ERR_INVALID_ARG$)/, illegal],
];

// Whoever made the certificate may be somebody the host trusts.
const unknownAuthority = /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_)/;
const authorityHint =
  "; if the host trusts whoever signed its certificate, tls.ca of the server's entry, NODE_EXTRA_CA_CERTS or the connector's `ca` says so";

/**
 * Names the failure of an exchange: what Node's sockets, its HTTP and zlib, or a `fetch` reject
 * with.
 */
export function fromFetchError(error: unknown, { serverId, url, sent, redact = same }: FailedRequest): HostsideError {
  const { code, isConnect } = readEvidence(error);
  const known = failures.find(([pattern]) => pattern.test(code))?.[1];
  const wasSent = sent ?? !(isConnect || known?.beforeSending === true);
  const failure = known?.isConnecting === true && wasSent ? cutOff : (known ?? (wasSent ? cutOff : unreachable));
  const outcome: CallOutcome = wasSent ? "unknown" : "not-sent";
  const hint = unknownAuthority.test(code) && !wasSent ? authorityHint : "";
  const evidence = `${code || (error instanceof Error ? error.name : "no reason given")}${hint}`;
  return new HostsideError(
    `server ${JSON.stringify(serverId)}: ${failure.summary} ${redactUrl(url.href)}: ${evidence}`,
    {
      code: failure.code,
      serverId,
      outcome,
      cause: safeCause(error, redact),
    },
  );
}

/**
 * True if nobody listens at the server's address: it was there to be asked, and refused the
 * connection.
 */
export function isConnectionRefused({ code, cause }: HostsideError): boolean {
  return code === "unreachable" && readEvidence(cause).code === "ECONNREFUSED";
}

/** A new connection took too long; nothing was sent on it. */
export function connectTimedOut(
  { serverId, url, proxy }: Omit<FailedRequest, "sent"> & { readonly proxy?: { readonly url: URL } | undefined },
  timeoutMs: number,
): HostsideError {
  const by = proxy === undefined ? "" : ` by the proxy ${proxy.url.origin}`;
  return new HostsideError(
    `server ${JSON.stringify(serverId)}: no connection to ${redactUrl(url.href)}${by} within ${formatMs(timeoutMs)}`,
    {
      code: "unreachable",
      serverId,
      outcome: "not-sent",
      details: { timeoutMs },
    },
  );
}

/** A body in a content encoding that the request did not offer. */
export function unknownEncoding(
  { serverId, url, redact = same }: Omit<FailedRequest, "sent">,
  encoding: string,
): HostsideError {
  return new HostsideError(`${redactUrl(url.href)} answered in an encoding that was not offered`, {
    code: "protocol_error",
    serverId,
    details: { excerpt: redact(cleanText(encoding, 100)) },
  });
}

function same(text: string): string {
  return text;
}

/**
 * Reads the code of the error, and whether the system call that failed was the one that connects.
 * `fetch` hides the reason in a chain of causes; a cycle in it must not hang us.
 */
function readEvidence(error: unknown): { readonly code: string; readonly isConnect: boolean } {
  let current = error;
  for (let depth = 0; depth < 5 && current instanceof Error; depth += 1) {
    if ("code" in current && typeof current.code === "string")
      return { code: current.code, isConnect: isConnectError(current) };
    current = current.cause;
  }
  return { code: "", isConnect: false };
}

// Where a name has several addresses, one error stands for the attempts at all of them.
function isConnectError(error: Error): boolean {
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(failedToConnect);
  return failedToConnect(error);
}

function failedToConnect(error: unknown): boolean {
  return error instanceof Error && "syscall" in error && error.syscall === "connect";
}

/** A body that is made of next to nothing. */
export function growsTooMuch({ serverId, url }: Omit<FailedRequest, "sent">, factor: number): HostsideError {
  return new HostsideError(
    `server ${JSON.stringify(serverId)}: a body from ${redactUrl(url.href)} decompresses to more than ${factor} times its size`,
    { code: "message_too_large", serverId },
  );
}

/**
 * A proxy cannot be reached, or refuses; the server knows nothing of it. Names the proxy without
 * its credentials.
 */
export function proxyFailed(
  { serverId, url, proxy }: Omit<FailedRequest, "sent"> & { readonly proxy: Proxy },
  error: Error,
): HostsideError {
  const about = `server ${JSON.stringify(serverId)}: no connection to ${redactUrl(url.href)} by the proxy ${proxy.url.origin}`;
  const status = "proxyStatus" in error && typeof error.proxyStatus === "number" ? error.proxyStatus : undefined;
  const evidence = "code" in error && typeof error.code === "string" ? error.code : error.name;
  const hint = status === 407 ? "; it wants a user name and a password, which its URL may have" : "";
  const why = status === undefined ? "cannot be used" : "refuses it";
  return new HostsideError(`${about}, which ${why}: ${evidence}${hint}`, {
    code: "unreachable",
    serverId,
    outcome: "not-sent",
    details: status === undefined ? {} : { httpStatus: status },
  });
}

/** The environment names a proxy that cannot be asked. */
export function unsupportedProxy({ serverId, url }: Omit<FailedRequest, "sent">): HostsideError {
  return new HostsideError(
    `server ${JSON.stringify(serverId)}: no connection to ${redactUrl(url.href)}: the environment names a proxy for it that is no http: or https: URL`,
    { code: "unreachable", serverId, outcome: "not-sent" },
  );
}
