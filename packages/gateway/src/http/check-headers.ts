import { rpcCodes, type RequestMessage, type RpcFailure } from "../message/json-rpc.ts";
import { metaKeys, metaOf } from "../message/meta.ts";
import { modernRevision } from "../message/revisions.ts";
import type { GatewayHttpExchange } from "./http-exchange.ts";

/** What `Mcp-Name` repeats of the parameters of a method. */
const named: ReadonlyMap<string, string> = new Map([
  ["tools/call", "name"],
  ["prompts/get", "name"],
  ["resources/read", "uri"],
]);

/**
 * What is wrong with the headers of a request of 2026-07-28: those on the way go by them, and so
 * they have to say the same as the body.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#server-validation
 */
export function checkHeaders(
  exchange: GatewayHttpExchange,
  { method, params }: RequestMessage,
): RpcFailure | undefined {
  const version = exchange.header("mcp-protocol-version");
  if (version !== modernRevision) return differs("MCP-Protocol-Version", version);
  const said = exchange.header("mcp-method");
  if (said !== method) return differs("Mcp-Method", said);
  const member = named.get(method);
  const value = member === undefined ? undefined : params[member];
  if (typeof value !== "string") return undefined;
  const name = exchange.header("mcp-name");
  return name !== undefined && decodeHeader(name.trim()) === value ? undefined : differs("Mcp-Name", name);
}

/**
 * Whether header and body name two revisions. This comes before the question whether either is
 * spoken here.
 */
export function checkRevision(exchange: GatewayHttpExchange, { params }: RequestMessage): RpcFailure | undefined {
  const header = exchange.header("mcp-protocol-version");
  const version = metaOf(params)?.[metaKeys.protocolVersion];
  const isOne = header === undefined || typeof version !== "string" || header === version;
  return isOne ? undefined : differs("MCP-Protocol-Version", header);
}

function differs(header: string, value: string | undefined): RpcFailure {
  const what = value === undefined ? "is missing" : "says something else than the body";
  return { code: rpcCodes.headerMismatch, message: `Bad request: the header ${header} ${what}` };
}

const encoded = /^=\?base64\?((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)\?=$/;

/**
 * The text of a header, which is in base64 where it would not be legal. `undefined`: it is neither.
 */
export function decodeHeader(value: string): string | undefined {
  const match = encoded.exec(value);
  if (match === null) return value.startsWith("=?base64?") && value.endsWith("?=") ? undefined : value;
  try {
    const bytes = Uint8Array.from(atob(match[1] ?? ""), (char) => char.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
