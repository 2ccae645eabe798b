import { HostsideError, type JsonObject, type ServerSpec } from "@hostside/core";
import { safeCause, serverTypeOf, utf8Length } from "@hostside/core/implement";
import type { TransportContext } from "../context/server-context.ts";
import { endsOf, excessValues, recoverRequestId, rejectDeepMessage } from "../message/admission.ts";
import type { Transport } from "../message/transport.ts";

/**
 * Hands one end of a linked pair to `spec.serve` and returns the other. What `serve` returns is not
 * awaited, because some servers resolve only when their connection ends; but when it rejects, the
 * transport closes with `spawn_failed`. Throws `spawn_failed` when `serve` throws.
 */
export async function openMemory(spec: ServerSpec, context: TransportContext): Promise<Transport> {
  const { serverId, redact, settings } = context;
  if (spec.type !== "memory") throw new TypeError(`openMemory() cannot open a server of type "${serverTypeOf(spec)}"`);
  const { host: end, server } = createLinkedPair((text) => {
    const error = excessValues(text, { ...settings.limits, serverId });
    if (error === undefined) return true;
    const id = recoverRequestId(endsOf(text));
    if (id === undefined) transport.onerror?.(error);
    else transport.onrequestfailed?.(id, error);
    return false;
  });
  let closeReason: HostsideError | undefined;
  let isClosed = false;
  const fail = (cause: unknown): HostsideError =>
    new HostsideError(`"serve" of server ${JSON.stringify(serverId)} failed`, {
      code: "spawn_failed",
      serverId,
      cause: safeCause(cause, redact),
    });
  const transport: Transport = {
    isOrdered: true,
    get closeReason() {
      return closeReason;
    },
    start: () => (isClosed ? Promise.reject(closedError(serverId)) : end.start()),
    send: (message, options) => (isClosed ? Promise.reject(closedError(serverId)) : end.send(message, options)),
    close: () => end.close(),
  };
  end.onmessage = (message) => rejectDeepMessage(message, transport, serverId);
  end.onclose = () => {
    isClosed = true;
    transport.onclose?.();
  };
  try {
    // The spec is typed without any SDK; what `serve` takes is the `Transport` of either line.
    const served: unknown = spec.serve(server as never);
    Promise.resolve(served).catch((error: unknown) => {
      closeReason = fail(error);
      return end.close();
    });
  } catch (error) {
    throw fail(error);
  }
  return transport;
}

function closedError(serverId: string): HostsideError {
  return new HostsideError(`the connection to server ${JSON.stringify(serverId)} closed`, {
    code: "connection_closed",
    serverId,
    outcome: "not-sent",
  });
}

/** Two transports in one process: what one sends, the other gets. */
interface LinkedPair {
  readonly host: Transport;
  readonly server: Transport;
}

/**
 * Makes a linked pair. Messages are copied through JSON and arrive in order in a later turn, as
 * over any other transport, so that neither side holds the other's objects or runs inside the
 * other's call. Closing one end closes the other. The host gets what `admit` lets in, as JSON.
 */
function createLinkedPair(admit: (text: string) => boolean = () => true): LinkedPair {
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
  /** Messages that came before `start()`. */
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
