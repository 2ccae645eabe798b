import type { ProtocolEra } from "@hostside/core";

// What the SDKs, and servers that copy their examples, say of a session that they do not know.
// Whole sentences: a tool speaks of sessions, too, and says more.
const forgotten =
  /^(?:mcp error -?\d+: |bad request: |error: )*(?:session (?:not found|expired|terminated|has expired|has been terminated)|(?:no valid|invalid|invalid or missing|unknown) session id(?: provided)?)[.!]?$/i;
const notInitialized =
  /^(?:mcp error -?\d+: |bad request: |error: )*(?:(?:server|session|client|connection) )?(?:is |was |has )?not (?:yet |been )?initiali[sz]ed[.!]?$|^method \S+ is invalid during session initialization$|^received request before initialization was complete$/i;

// https://modelcontextprotocol.io/specification/2026-07-28/basic#error-codes
const headerMismatch = -32_020;
const missingClientCapability = -32_021;
/** The JSON-RPC error of 2026-07-28 for a revision that the server does not speak. */
export const unsupportedProtocolVersion = -32_022;

/** A connection whose handshake is over, as a request was sent on it. */
export interface UsedConnection {
  readonly era: ProtocolEra;
  /** The request named a session by its id. */
  readonly hasSession: boolean;
  /** Each request is an exchange of its own, as over HTTP. */
  readonly isHttp: boolean;
}

/**
 * Whether the words of a refusal say that the server forgot its session with this host. A tool can
 * say the same, so that it is a reason to connect again, and never one to send the request again.
 */
export function saysSessionIsForgotten(words: string, { era, hasSession }: Omit<UsedConnection, "isHttp">): boolean {
  if (era === "modern") return false;
  const sentence = words.trim();
  return notInitialized.test(sentence) || (hasSession && forgotten.test(sentence));
}

// "Invalid Request", what servers use for a session that was not begun, and "Invalid params".
const doubtfulCodes: ReadonlySet<number> = new Set([-32_600, -32_000, -32_002]);
const invalidParams = -32_602;
const aboutProtocol = /_meta\b|io\.modelcontextprotocol\/|protocol.?version|initiali[sz]|^invalid request parameters$/i;

/**
 * Whether a JSON-RPC error may say that the server speaks another revision by now. A tool can say
 * the same of its arguments, so that it is a reason to ask for something that the server has
 * answered before, and no more.
 */
export function mayHaveChangedRevision({
  code,
  message,
}: {
  readonly code: number;
  readonly message: string;
}): boolean {
  return doubtfulCodes.has(code) || (code === invalidParams && aboutProtocol.test(message));
}

/**
 * Whether a JSON-RPC error says that the server speaks another revision than the one its connection
 * was made for: it was replaced.
 */
export function saysRevisionChanged(rpcCode: number | undefined, { era, isHttp }: UsedConnection): boolean {
  if (rpcCode === unsupportedProtocolVersion) return true;
  if (era === "modern") return false;
  // Errors that no revision with a handshake has. The first is about headers.
  return rpcCode === missingClientCapability || (isHttp && rpcCode === headerMismatch);
}
