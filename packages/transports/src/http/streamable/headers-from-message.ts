import type { JsonObject } from "@hostside/core";
import { isHeaderValue, isJsonObject } from "@hostside/core/implement";
import { encodeHeaderValue } from "../exchange/credential-headers.ts";

const versionKey = "io.modelcontextprotocol/protocolVersion";

// Which parameter names the thing that a request is about (2026-07-28, "Standard Request Headers";
// the tasks extension).
const nameParameters: ReadonlyMap<string, string> = new Map([
  ["tools/call", "name"],
  ["prompts/get", "name"],
  ["resources/read", "uri"],
  ["tasks/get", "taskId"],
  ["tasks/update", "taskId"],
  ["tasks/cancel", "taskId"],
]);

/**
 * The headers that repeat what a message of 2026-07-28 says of itself: its revision, its method,
 * and the name of what it is about. `undefined` for other messages.
 */
export function protocolHeaders(message: JsonObject): Readonly<Record<string, string>> | undefined {
  const version = envelopeVersionOf(message);
  const { method, params } = message;
  if (version === undefined || typeof method !== "string") return undefined;
  const headers: Record<string, string> = { "mcp-protocol-version": version, "mcp-method": method };
  const parameter = nameParameters.get(method);
  const name = parameter !== undefined && isJsonObject(params) ? params[parameter] : undefined;
  if (typeof name === "string") headers["mcp-name"] = encodeHeaderValue(name);
  return headers;
}

/**
 * The revision in a message's `_meta`; `undefined` for messages of earlier revisions than
 * 2026-07-28, which have none.
 */
export function envelopeVersionOf({ method, params }: JsonObject): string | undefined {
  if (typeof method !== "string" || !isJsonObject(params)) return undefined;
  const meta = params["_meta"];
  const version = isJsonObject(meta) ? meta[versionKey] : undefined;
  return typeof version === "string" && isHeaderValue(version) ? version : undefined;
}
