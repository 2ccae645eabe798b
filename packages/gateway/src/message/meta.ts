import type { JsonObject } from "@hostside/core";
import { isJsonObject, modernRevision } from "@hostside/core/implement";
import { rpcCodes, type RpcFailure } from "./json-rpc.ts";

/** The prefix of keys that belong to one hop of the protocol. */
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
 * The part of a `_meta` that goes on to the other side: all but what one hop says to the next, and
 * the token of its progress. Trace context (`traceparent`, `tracestate`, `baggage`) goes on.
 * `undefined` when nothing is left.
 */
export function passOn(meta: JsonObject | undefined): JsonObject | undefined {
  const all = Object.entries(meta ?? {});
  const kept = all.filter(([key]) => key !== "progressToken" && !key.startsWith(hopPrefix));
  if (kept.length === 0) return undefined;
  return kept.length === all.length ? meta : Object.fromEntries(kept);
}

/** The levels of RFC 5424, from what matters least. */
const levels: readonly string[] = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/** True for the name of a level. */
export function isLogLevel(level: unknown): level is string {
  return typeof level === "string" && levels.includes(level);
}

/** True if a line of `level` matters enough for somebody who asked for `least`. */
export function reachesLevel(level: string, least: string): boolean {
  return levels.indexOf(level) >= levels.indexOf(least);
}

/**
 * True for a text that names a revision of the stateless era. Revisions are ISO dates, so their
 * order is that of texts.
 */
export function isModernRevision(revision: string): boolean {
  return revision >= modernRevision;
}

/** The client of a message of 2026-07-28. */
export interface RequestEnvelope {
  readonly capabilities: JsonObject;
  readonly info: unknown;
}

/** The envelope of a message of 2026-07-28. `"none"`: the message is of an earlier revision. */
export type ReadEnvelope =
  | { readonly kind: "none" }
  | { readonly kind: "modern"; readonly envelope: RequestEnvelope }
  | { readonly kind: "refused"; readonly failure: RpcFailure };

/** Reads it. https://modelcontextprotocol.io/specification/2026-07-28/basic#request-metadata */
export function readRequestEnvelope(params: JsonObject): ReadEnvelope {
  const meta = metaOf(params);
  const version = meta?.[metaKeys.protocolVersion];
  if (meta === undefined || version === undefined) return { kind: "none" };
  if (typeof version !== "string") return refused(missing(metaKeys.protocolVersion));
  if (version !== modernRevision) return refused(unsupported(version));
  const capabilities = meta[metaKeys.clientCapabilities];
  if (!isJsonObject(capabilities)) return refused(missing(metaKeys.clientCapabilities));
  return { kind: "modern", envelope: { capabilities, info: meta[metaKeys.clientInfo] } };
}

function refused(failure: RpcFailure): ReadEnvelope {
  return { kind: "refused", failure };
}

/** A revision that is not spoken here. */
export function unsupported(requested: string): RpcFailure {
  const data = { supported: [modernRevision], requested: requested.slice(0, 64) };
  return { code: rpcCodes.unsupportedVersion, message: "Unsupported protocol version", data };
}

/** A member of `_meta` that every request has to have. */
export function missing(key: string): RpcFailure {
  return { code: rpcCodes.invalidParams, message: `Invalid params: _meta needs ${key}` };
}
