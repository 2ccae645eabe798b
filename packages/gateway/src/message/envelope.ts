import type { JsonObject } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import { rpcCodes, type RpcFailure } from "./json-rpc.ts";
import { metaKeys, metaOf } from "./meta.ts";
import { modernRevision } from "./revisions.ts";

/** What a message of 2026-07-28 says of its client. */
export interface RequestEnvelope {
  readonly capabilities: JsonObject;
  readonly info: unknown;
}

/** Whether a message is of 2026-07-28. `"none"`: of an earlier revision. */
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
