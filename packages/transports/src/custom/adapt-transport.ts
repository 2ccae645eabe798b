import type { RequestId, Transport } from "@modelcontextprotocol/client";
import { ToolportError } from "@toolport/core";
import type { HostTransport } from "../host-transport.ts";
import { answeredRequest, isTooDeep, maxMessageDepth } from "../message-depth.ts";
import { closePart, type ClosePartInit } from "./close-part.ts";

/** What {@linkcode adaptTransport} needs. */
export interface AdaptTransportInit extends ClosePartInit {
  readonly serverId: string;
}

/**
 * Makes a {@linkcode HostTransport} of an SDK-style transport of either line that closes once and in time, whatever the transport
 * does, and lets nothing in that is nested too deeply.
 */
export function adaptTransport(transport: Transport, init: AdaptTransportInit): HostTransport {
  const { serverId } = init;
  let closed: Promise<void> | undefined;
  let isClosed = false;
  const host: HostTransport = {
    async start() {
      if (closed !== undefined) throw new Error("The transport is closed");
      await transport.start();
    },
    send: async (message, options) => transport.send(message, options),
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
  transport.onmessage = (message, extra) => {
    if (isClosed) return;
    if (isTooDeep(message)) refuse(answeredRequest(message));
    else host.onmessage?.(message, extra);
  };
  transport.onerror = (error) => {
    if (!isClosed) host.onerror?.(error);
  };
  transport.onclose = finish;
  return host;
}
