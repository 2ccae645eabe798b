import { HostsideError, type JsonObject } from "@hostside/core";
import { answeredRequest, isTooDeep, maxMessageDepth } from "./message-depth.ts";
import type { Transport } from "./transport.ts";

/**
 * Hands a message on, or says that it is nested too deeply: to the request that it answers, if it
 * does.
 */
export function rejectDeepMessage(message: JsonObject, transport: Transport, serverId: string): void {
  if (!isTooDeep(message)) return transport.onmessage?.(message);
  const text = `server ${JSON.stringify(serverId)} sent a message nested deeper than ${maxMessageDepth} levels`;
  const answered = answeredRequest(message);
  if (answered === undefined) transport.onerror?.(new Error(text));
  else transport.onrequestfailed?.(answered, new HostsideError(text, { code: "protocol_error", serverId }));
}
