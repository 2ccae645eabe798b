import type { JsonObject } from "@hostside/core";

/**
 * What tells one request from another. Ours are numbers; what a server, or a transport that
 * somebody brought, makes of them may be text.
 */
export type RequestId = number | string;

/** A message that wants an answer. */
export interface RpcRequest extends JsonObject {
  readonly id: RequestId;
  readonly method: string;
}

/** Whether a message of ours is a request; a server's has to be looked at more closely. */
export function isRequest(message: JsonObject): message is RpcRequest {
  return "method" in message && "id" in message;
}
