import type { Transport } from "@modelcontextprotocol/client";
import { isToolportError, ToolportError } from "@toolport/core";
import type { HostTransport } from "../host-transport.ts";

/**
 * Makes a {@linkcode HostTransport} of an SDK-style transport of either line: errors become coded ones, and `onclose` fires once,
 * whatever the transport makes of it.
 */
export function adaptTransport(transport: Transport, serverId: string): HostTransport {
  let isClosed = false;
  let isClosing = false;
  const host: HostTransport = {
    start: () => transport.start(),
    async send(message, options) {
      try {
        await transport.send(message, options);
      } catch (error) {
        throw isToolportError(error) ? error : sendError(error, serverId);
      }
    },
    async close() {
      if (isClosing) return;
      isClosing = true;
      try {
        await transport.close();
      } catch (error) {
        // A transport that fails to close is gone as far as this connection is concerned; the failure is evidence, not news.
        host.onerror?.(error instanceof Error ? error : new Error(String(error)));
      }
      finish();
    },
    ...(transport.hasPerRequestStream === true && { hasPerRequestStream: true }),
    ...(transport.setProtocolVersion && { setProtocolVersion: (version) => transport.setProtocolVersion?.(version) }),
  };
  const finish = (): void => {
    if (isClosed) return;
    isClosed = true;
    host.onclose?.();
  };
  transport.onmessage = (message, extra) => {
    if (!isClosed) host.onmessage?.(message, extra);
  };
  transport.onerror = (error) => host.onerror?.(error);
  transport.onclose = finish;
  return host;
}

function sendError(error: unknown, serverId: string): ToolportError {
  // A transport that is not ours says nothing about how far the message came.
  return new ToolportError(`the transport of ${JSON.stringify(serverId)} failed to send`, {
    code: "connection_closed",
    serverId,
    outcome: "unknown",
    cause: error,
  });
}
