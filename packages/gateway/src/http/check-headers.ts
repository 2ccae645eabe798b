import type { JsonObject, JsonValue } from "@hostside/core";
import { isJsonObject, modernRevision } from "@hostside/core/implement";
import type { GatewayHttpExchange } from "./http-exchange.ts";
import { rpcCodes, type RequestMessage, type RpcFailure } from "../message/json-rpc.ts";
import { metaKeys, metaOf } from "../message/meta.ts";

/** The parameter of a method that `Mcp-Name` repeats. */
const named: ReadonlyMap<string, string> = new Map([
  ["tools/call", "name"],
  ["prompts/get", "name"],
  ["resources/read", "uri"],
]);

/**
 * Checks the headers of a request of 2026-07-28. Proxies go by them, so they have to say the same
 * as the body.
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
 * Checks that header and body name one revision. This comes before the question whether it is
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

/** An argument that clients repeat in a header, for those on the way. */
interface MirroredParam {
  readonly path: readonly string[];
  readonly header: string;
}

const known = new WeakMap<JsonObject, readonly MirroredParam[]>();
// As deep as a schema is looked at; deeper ones have nothing that a client would find either.
const deepest = 16;

/**
 * Checks the `Mcp-Param-…` headers of a call against the arguments that the schema of its tool
 * marks with `x-mcp-header`.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#server-validation
 */
export function checkParamHeaders(
  exchange: GatewayHttpExchange,
  schema: JsonObject,
  args: JsonValue | undefined,
): RpcFailure | undefined {
  for (const { path, header } of mirroredIn(schema)) {
    const value = path.reduce<JsonValue | undefined>((at, key) => (isJsonObject(at) ? at[key] : undefined), args);
    if (value === undefined || value === null || typeof value === "object") continue;
    const sent = exchange.header(`mcp-param-${header}`);
    const decoded = sent === undefined ? undefined : decodeHeader(sent.trim());
    const isSame = typeof value === "number" ? Number(decoded) === value && decoded !== "" : decoded === String(value);
    if (decoded !== undefined && isSame) continue;
    const what = sent === undefined ? "is missing" : "says something else than the body";
    return { code: rpcCodes.headerMismatch, message: `Bad request: the header Mcp-Param-${header} ${what}` };
  }
  return undefined;
}

function mirroredIn(schema: JsonObject): readonly MirroredParam[] {
  let found = known.get(schema);
  if (found === undefined) known.set(schema, (found = find(schema, [])));
  return found;
}

function find(schema: JsonObject, path: readonly string[]): readonly MirroredParam[] {
  const { properties } = schema;
  if (!isJsonObject(properties) || path.length >= deepest) return [];
  return Object.entries(properties).flatMap(([key, property]) => {
    if (!isJsonObject(property)) return [];
    const here = [...path, key];
    const header = property["x-mcp-header"];
    const own = typeof header === "string" && header !== "" ? [{ path: here, header: header.toLowerCase() }] : [];
    return [...own, ...find(property, here)];
  });
}
