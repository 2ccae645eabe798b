import type { RequestId, Transport } from "@modelcontextprotocol/client";
import { ToolportError } from "@toolport/core";
import { safeCause } from "@toolport/core/implement";
import type { HostTransport } from "../message/transport.ts";
import type { RpcErrorContext } from "../message/from-rpc-error.ts";
import { fromSdkError } from "./from-sdk-error.ts";
import { answeredRequest, isTooDeep, maxMessageDepth } from "../message/message-depth.ts";
import { safeExcerpt } from "../text/safe-excerpt.ts";
import { closePart, type ClosePartInit } from "./close-part.ts";

/** What {@linkcode adaptTransport} needs. */
export interface AdaptTransportInit extends ClosePartInit {
  readonly serverId: string;
  /** Masks the secrets that the host gave this server. */
  readonly redact: (text: string) => string;
  /** As {@linkcode HostTransport.isOrdered}. Default `false`, because nothing is known of a transport that somebody brought. */
  readonly isOrdered?: boolean;
}

/**
 * Makes a {@linkcode HostTransport} of an SDK-style transport of either line that closes once and in time, whatever the transport
 * does, and lets nothing in that is nested too deeply.
 */
export function adaptTransport(transport: Transport, init: AdaptTransportInit): HostTransport {
  const { serverId, redact, isOrdered = false } = init;
  let closed: Promise<void> | undefined;
  let isClosed = false;
  const host: HostTransport = {
    isOrdered,
    async start() {
      if (closed !== undefined) throw new Error("The transport is closed");
      await transport.start();
    },
    async send(message, options) {
      try {
        await transport.send(message, options);
      } catch (error) {
        throw toSendError(error, { serverId, redact, method: "method" in message ? message.method : "an answer" });
      }
    },
    close() {
      closed ??= closePart(transport, init).then(finish);
      return closed;
    },
    ...(transport.hasPerRequestStream === true && { hasPerRequestStream: true }),
    setProtocolVersion: (version) => transport.setProtocolVersion?.(version),
  };
  function finish(): void {
    if (isClosed) return;
    isClosed = true;
    host.onclose?.();
  }
  function refuse(answered: RequestId | undefined): void {
    const text = `server ${JSON.stringify(serverId)} sent a message nested deeper than ${maxMessageDepth} levels`;
    if (answered === undefined) host.onerror?.(new Error(text));
    else host.onrequestfailed?.(answered, new ToolportError(text, { code: "protocol_error", serverId }));
  }
  transport.onmessage = (message) => {
    if (isClosed) return;
    if (isTooDeep(message)) refuse(answeredRequest(message));
    else host.onmessage?.(message);
  };
  transport.onerror = (error) => {
    if (!isClosed) host.onerror?.(error);
  };
  transport.onclose = finish;
  return host;
}

// What no SDK throws says only that this message may not have arrived.
function toSendError(error: unknown, context: RpcErrorContext): ToolportError {
  const failure = fromSdkError(error, context, "transport");
  if (failure.code !== "internal_error") return failure;
  const { serverId, method, redact } = context;
  const reason = safeExcerpt(error instanceof Error ? error.message : String(error), redact, 1000);
  return new ToolportError(`the transport of server ${JSON.stringify(serverId)} failed to send ${method}: ${reason}`, {
    code: "connection_closed",
    serverId,
    outcome: "unknown",
    details: { operation: method },
    cause: safeCause(error, redact),
  });
}
