import type { Transport } from "@modelcontextprotocol/client";
import type { Clock } from "@toolport/core";
import type { HostTransport } from "../host-transport.ts";
import { settleWithin } from "../settle-within.ts";

/** What {@linkcode adaptTransport} goes by. */
export interface AdaptInit {
  readonly clock: Clock;
  /** For the transport to close, in milliseconds; it is given up then. */
  readonly closeMs: number;
}

/**
 * Makes a {@linkcode HostTransport} of an SDK-style transport of either line that closes once and in time, whatever the transport
 * does.
 */
export function adaptTransport(transport: Transport, { clock, closeMs }: AdaptInit): HostTransport {
  let closing: Promise<void> | undefined;
  let isClosed = false;
  const host: HostTransport = {
    async start() {
      if (closing !== undefined) throw new Error("The transport is closed");
      await transport.start();
    },
    send: async (message, options) => transport.send(message, options),
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
