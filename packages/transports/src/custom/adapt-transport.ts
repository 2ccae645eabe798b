import type { Transport } from "@modelcontextprotocol/client";
import type { HostTransport } from "../host-transport.ts";
import { closePart, type ClosePartInit } from "./close-part.ts";

/**
 * Makes a {@linkcode HostTransport} of an SDK-style transport of either line that closes once and in time, whatever the transport
 * does.
 */
export function adaptTransport(transport: Transport, closing: ClosePartInit): HostTransport {
  let closed: Promise<void> | undefined;
  let isClosed = false;
  const host: HostTransport = {
    async start() {
      if (closed !== undefined) throw new Error("The transport is closed");
      await transport.start();
    },
    send: async (message, options) => transport.send(message, options),
    close() {
      closed ??= closePart(transport, closing).then(finish);
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
  transport.onmessage = (message, extra) => {
    if (!isClosed) host.onmessage?.(message, extra);
  };
  transport.onerror = (error) => {
    if (!isClosed) host.onerror?.(error);
  };
  transport.onclose = finish;
  return host;
}
