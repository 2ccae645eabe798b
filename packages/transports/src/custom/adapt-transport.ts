import type { Transport } from "@modelcontextprotocol/client";
import { isToolportError, ToolportError, type Clock } from "@toolport/core";
import type { HostTransport } from "../host-transport.ts";
import { settleWithin } from "../settle-within.ts";

/** What {@linkcode adaptTransport} goes by. */
export interface AdaptInit {
  readonly serverId: string;
  readonly clock: Clock;
  /** For the transport to close, in milliseconds; it is given up then. */
  readonly closeMs: number;
}

/**
 * Makes a {@linkcode HostTransport} of an SDK-style transport of either line: its failures get codes, and it closes once and in time,
 * whatever it does.
 */
export function adaptTransport(transport: Transport, { serverId, clock, closeMs }: AdaptInit): HostTransport {
  let closing: Promise<void> | undefined;
  let isClosed = false;
  const host: HostTransport = {
    start: () => transport.start(),
    async send(message, options) {
      try {
        await transport.send(message, options);
      } catch (error) {
        throw isToolportError(error) ? error : sendError(error, serverId);
      }
    },
    close() {
      closing ??= settleWithin(callClose(transport), closeMs, clock).then(finish);
      return closing;
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

// Also for a transport that throws where it should reject.
async function callClose(transport: Transport): Promise<void> {
  await transport.close();
}

function sendError(error: unknown, serverId: string): ToolportError {
  // A transport that is not ours says nothing about how far the message came.
  return new ToolportError(`the transport of server ${JSON.stringify(serverId)} failed to send`, {
    code: "connection_closed",
    serverId,
    outcome: "unknown",
    cause: error,
  });
}
