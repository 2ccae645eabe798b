import type { JsonObject } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";

/** What belongs to one hop of the protocol, and to no other. */
const hopPrefix = "io.modelcontextprotocol/";

/**
 * Keys of `_meta` in 2026-07-28.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic#_meta
 */
export const metaKeys = {
  protocolVersion: "io.modelcontextprotocol/protocolVersion",
  clientInfo: "io.modelcontextprotocol/clientInfo",
  clientCapabilities: "io.modelcontextprotocol/clientCapabilities",
  logLevel: "io.modelcontextprotocol/logLevel",
  serverInfo: "io.modelcontextprotocol/serverInfo",
  subscriptionId: "io.modelcontextprotocol/subscriptionId",
} as const;

/** The `_meta` of parameters. */
export function metaOf(params: JsonObject): JsonObject | undefined {
  const meta = params["_meta"];
  return isJsonObject(meta) ? meta : undefined;
}

/**
 * What of a `_meta` goes on to the other side: all but what one hop says to the next, and the token
 * of its progress. Trace context (`traceparent`, `tracestate`, `baggage`) goes on. `undefined` when
 * nothing is left.
 */
export function passOn(meta: JsonObject | undefined): JsonObject | undefined {
  if (meta === undefined) return undefined;
  let left: JsonObject | undefined;
  let isWhole = true;
  for (const key of Object.keys(meta)) {
    if (key === "progressToken" || key.startsWith(hopPrefix)) isWhole = false;
    else left = meta;
  }
  if (isWhole || left === undefined) return left;
  const kept = Object.entries(meta).filter(([key]) => key !== "progressToken" && !key.startsWith(hopPrefix));
  return Object.fromEntries(kept);
}
