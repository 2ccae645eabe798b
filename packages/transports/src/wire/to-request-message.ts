import type { JsonObject } from "@hostside/core";
import { isPlainObject } from "@hostside/core/implement";
import type { OutgoingRequest } from "../message/outgoing-request.ts";

/**
 * A request as it goes over the wire. `envelope` is the `_meta` of every request of a modern
 * connection, and `_meta` of the request itself counts more. Where progress is waited for, or
 * counts as a sign of life, the token of it is the id.
 */
export function toRequestMessage(id: number, request: OutgoingRequest, envelope: JsonObject | undefined): JsonObject {
  const { method, params } = request;
  const meta = metaOf(id, request, envelope);
  return { jsonrpc: "2.0", id, method, params: meta === undefined ? params : { ...params, _meta: meta } };
}

function metaOf(
  id: number,
  { params, onProgress, idleMs }: OutgoingRequest,
  envelope: JsonObject | undefined,
): JsonObject | undefined {
  const own = params["_meta"];
  const wantsProgress = onProgress !== undefined || idleMs !== undefined;
  // Most requests are one of these two, and spreads of what is not there cost as much as the rest
  // of the message.
  if (own === undefined && !wantsProgress) return envelope;
  if (own === undefined && envelope === undefined) return { progressToken: id };
  if (envelope === undefined && !wantsProgress) return undefined;
  return { ...envelope, ...(isPlainObject(own) && own), ...(wantsProgress && { progressToken: id }) };
}
