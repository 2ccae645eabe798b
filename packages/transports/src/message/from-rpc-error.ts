import {
  type ErrorDetails,
  HostsideError,
  type HostsideErrorCode,
  type JsonObject,
  type ProtocolEra,
} from "@hostside/core";
import { isConfidentialUrl, isJsonObject, quoteText, redactData } from "@hostside/core/implement";
import { knownRevisions } from "./revisions.ts";
import { safeExcerpt, toJson } from "../text/safe-excerpt.ts";

/**
 * The `error` member of a JSON-RPC answer, checked for shape only; its texts and data are the
 * server's.
 */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** The request that was refused. */
export interface RpcErrorContext {
  readonly serverId: string;
  readonly method: string;
  /** The tool's remote name, for a `tools/call`. */
  readonly toolName?: string | undefined;
  /**
   * The connection that the request went over; absent during its handshake, and where nothing is
   * known of it.
   */
  readonly connection?: UsedConnection | undefined;
  /** Masks the secrets that the host gave this server, because servers echo what they got. */
  readonly redact: (text: string) => string;
}

// https://modelcontextprotocol.io/specification/2026-07-28/basic#error-codes
const invalidParams = -32_602;
const missingClientCapability = -32_021;
const urlElicitationRequired = -32_042;

const longestMessage = 1000;
const longestData = 16_384;

/**
 * Makes the error of a server's JSON-RPC error. Its outcome is `failed`, because the server says
 * itself that it did not run the request, or not to the end; but `unknown` for `session_expired`,
 * which is read from words that a tool could say as well.
 */
export function fromRpcError(error: RpcError, context: RpcErrorContext): HostsideError {
  const { serverId, method, toolName, redact } = context;
  const code = codeOf(error, context);
  const what = toolName === undefined ? method : `${method} of ${quoteText(toolName)}`;
  // A message of another length leaves no room for the addresses of pages.
  const reason = safeExcerpt(error.message, redact, error.code === urlElicitationRequired ? 300 : longestMessage);
  const supported = supportedVersions(error.data, redact);
  const pages = error.code === urlElicitationRequired ? readPages(error.data, redact) : undefined;
  const data = pages === undefined ? boundedData(error.data, redact) : { elicitations: pages };
  const details: ErrorDetails = {
    operation: method,
    rpcCode: error.code,
    ...(data !== undefined && { rpcData: data }),
    ...(supported !== undefined && { supported }),
  };
  return new HostsideError(
    `server ${JSON.stringify(serverId)} refused ${what} with JSON-RPC error ${error.code}: ${reason}${describeOffer(supported)}${describePages(pages)}`,
    { code, serverId, toolName, outcome: code === "session_expired" ? "unknown" : "failed", details },
  );
}

/** A page that a server wants its user to open before it goes on. */
export type RequiredPage = JsonObject & { readonly mode: "url"; readonly url: string; readonly message: string };

/** The pages that an error asks for, fit to be shown to a user. */
export function pagesOf({ details }: HostsideError): readonly RequiredPage[] {
  const { rpcCode, rpcData } = details;
  // Its data was read here.
  return rpcCode === urlElicitationRequired && isJsonObject(rpcData) ? (rpcData["elicitations"] as RequiredPage[]) : [];
}

const mostPages = 5;
const longestUrls = 1200;

// https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#url-elicitation-required-error
function readPages(data: unknown, redact: (text: string) => string): readonly RequiredPage[] {
  const given = isJsonObject(data) ? data["elicitations"] : undefined;
  if (!Array.isArray(given)) return [];
  return given.slice(0, mostPages).flatMap((one: unknown): RequiredPage[] => {
    const { url: address, message, elicitationId } = isJsonObject(one) ? one : {};
    const url = typeof address === "string" && URL.canParse(address) ? new URL(address) : undefined;
    // Neither another scheme, nor a name in front of the host that passes for one.
    if (url === undefined || !isConfidentialUrl(url) || url.username !== "" || redact(url.href) !== url.href) return [];
    const id = typeof elicitationId === "string" ? { elicitationId } : {};
    const said = typeof message === "string" ? safeExcerpt(message, redact, longestMessage) : "";
    return [{ mode: "url", url: url.href, message: said, ...id }];
  });
}

function describePages(pages: readonly RequiredPage[] = []): string {
  if (pages.length === 0) return "";
  const urls = pages.map(({ url }) => url).join(" ");
  const where = urls.length <= longestUrls ? `: ${urls}` : ", whose address is in the details of this error";
  return `; the user has to open a page before it is tried again${where}`;
}

/**
 * Describes the revisions that a server offers instead of the one it was asked for; `""` when
 * it said nothing of them.
 */
export function describeOffer(supported: readonly string[] | undefined): string {
  if (supported === undefined) return "";
  const offer = supported.length === 0 ? "none" : supported.join(", ");
  return ` (the server knows ${offer}; this host ${knownRevisions.join(", ")})`;
}

function codeOf(error: RpcError, { method, connection }: RpcErrorContext): HostsideErrorCode {
  if (connection !== undefined) {
    if (saysRevisionChanged(error.code, connection)) return "unsupported_protocol";
    if (saysSessionIsForgotten(error.message, connection)) return "session_expired";
  }
  switch (error.code) {
    case invalidParams:
      return method === "tools/call" && namesUnknownTool(error.message) ? "tool_removed" : "server_error";
    case urlElicitationRequired:
      return "input_required";
    case missingClientCapability:
      return wantsElicitation(error.data) ? "input_required" : "server_error";
    case unsupportedProtocolVersion:
      return "unsupported_protocol";
    default:
      return "server_error";
  }
}

// The code is that of any bad parameter; the wording is that of the specification's example and of
// both SDK lines.
function namesUnknownTool(message: string): boolean {
  return /^(?:MCP error -32602: )?(?:unknown tool\b|tool \S+ not found\b)/i.test(message);
}

function wantsElicitation(data: unknown): boolean {
  const required = isJsonObject(data) ? data["requiredCapabilities"] : undefined;
  return isJsonObject(required) && Object.hasOwn(required, "elicitation");
}

export function supportedVersions(data: unknown, redact: (text: string) => string): readonly string[] | undefined {
  const supported = isJsonObject(data) ? data["supported"] : undefined;
  if (!Array.isArray(supported)) return undefined;
  const versions = supported.filter((version) => typeof version === "string").slice(0, 20);
  return versions.length === 0 ? undefined : versions.map((version) => safeExcerpt(version, redact, 40));
}

// Data is kept for the caller who knows the server, but neither at any size nor with a secret in
// it.
function boundedData(data: unknown, redact: (text: string) => string): unknown {
  if (data === undefined) return undefined;
  const text = toJson(data);
  if (text === undefined) return undefined;
  return text.length > longestData ? safeExcerpt(text, redact, 1000) : redactData(data, redact);
}

// What the SDKs, and servers that copy their examples, say of a session that they do not know.
// Whole sentences: a tool speaks of sessions, too, and says more.
const forgotten =
  /^(?:mcp error -?\d+: |bad request: |error: )*(?:session (?:not found|expired|terminated|has expired|has been terminated)|(?:no valid|invalid|invalid or missing|unknown) session id(?: provided)?)[.!]?$/i;
const notInitialized =
  /^(?:mcp error -?\d+: |bad request: |error: )*(?:(?:server|session|client|connection) )?(?:is |was |has )?not (?:yet |been )?initiali[sz]ed[.!]?$|^method \S+ is invalid during session initialization$|^received request before initialization was complete$/i;

// https://modelcontextprotocol.io/specification/2026-07-28/basic#error-codes
const headerMismatch = -32_020;
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
 * True if the words of a refusal say that the server forgot its session with this host. A tool can
 * say the same, so that it is a reason to connect again, and never one to send the request again.
 */
export function saysSessionIsForgotten(words: string, { era, hasSession }: Omit<UsedConnection, "isHttp">): boolean {
  if (era === "modern") return false;
  const sentence = words.trim();
  return notInitialized.test(sentence) || (hasSession && forgotten.test(sentence));
}

// "Invalid Request", what servers use for a session that was not begun, and "Invalid params".
const doubtfulCodes: ReadonlySet<number> = new Set([-32_600, -32_000, -32_002]);
const aboutProtocol = /_meta\b|io\.modelcontextprotocol\/|protocol.?version|initiali[sz]|^invalid request parameters$/i;

/**
 * True if a JSON-RPC error may say that the server speaks another revision by now. A tool can say
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
 * True if a JSON-RPC error says that the server speaks another revision than the one its connection
 * was made for: it was replaced.
 */
export function saysRevisionChanged(rpcCode: number | undefined, { era, isHttp }: UsedConnection): boolean {
  if (rpcCode === unsupportedProtocolVersion) return true;
  if (era === "modern") return false;
  // Errors that no revision with a handshake has. The first is about headers.
  return rpcCode === missingClientCapability || (isHttp && rpcCode === headerMismatch);
}
