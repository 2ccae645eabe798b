import type { JsonObject, JsonValue } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import { rpcCodes, type RpcFailure } from "../message/json-rpc.ts";
import { decodeHeader } from "./check-headers.ts";
import type { GatewayHttpExchange } from "./http-exchange.ts";

/** An argument that clients repeat in a header, for those on the way. */
interface MirroredParam {
  readonly path: readonly string[];
  readonly header: string;
}

const known = new WeakMap<JsonObject, readonly MirroredParam[]>();
// As deep as a schema is looked at; deeper ones have nothing that a client would find either.
const deepest = 16;

/**
 * What is wrong with the `Mcp-Param-…` headers of a call, by what the schema of its tool declares
 * with `x-mcp-header`.
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
