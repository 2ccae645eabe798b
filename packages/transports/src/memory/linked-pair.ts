import { utf8Length } from "@hostside/core/implement";
import type { JsonObject } from "@hostside/core";
import type { Transport } from "../message/transport.ts";

/** Two transports in one process: what one sends, the other gets. */
export interface LinkedPair {
  readonly host: Transport;
  readonly server: Transport;
}

/**
 * Makes a linked pair. Messages are copied through JSON and arrive in order in a later turn, as
 * over any other transport, so that neither side holds the other's objects or runs inside the
 * other's call. Closing one end closes the other. The host gets what `admit` lets in, as JSON.
 */
export function createLinkedPair(admit: (text: string) => boolean = () => true): LinkedPair {
  const host = createEnd(admit);
  const server = createEnd(() => true);
  host.peer = server;
  server.peer = host;
  return { host: host.transport, server: server.transport };
}

interface End {
  readonly admit: (text: string) => boolean;
  readonly transport: Transport;
  peer?: End;
  isStarted: boolean;
  isClosed: boolean;
  /** What came before `start()`. */
  readonly early: string[];
}

function createEnd(admit: End["admit"]): End {
  const end: End = {
    admit,
    isStarted: false,
    isClosed: false,
    early: [],
    transport: {
      start: async () => {
        end.isStarted = true;
        for (const text of end.early.splice(0)) queueMicrotask(() => deliver(end, text));
      },
      send: async (message, options) => {
        const { peer } = end;
        if (end.isClosed || peer === undefined) throw new Error("The in-memory transport is closed");
        const text = JSON.stringify(message);
        options?.onSize?.(utf8Length(text));
        if (peer.isStarted) queueMicrotask(() => deliver(peer, text));
        else peer.early.push(text);
      },
      close: async () => {
        closeEnd(end);
        if (end.peer !== undefined) closeEnd(end.peer);
      },
    },
  };
  return end;
}

function deliver(end: End, text: string): void {
  // What comes out of JSON.stringify of a message is a message.
  if (!end.isClosed && end.admit(text)) end.transport.onmessage?.(JSON.parse(text) as JsonObject);
}

function closeEnd(end: End): void {
  if (end.isClosed) return;
  end.isClosed = true;
  end.early.length = 0;
  end.transport.onclose?.();
}
