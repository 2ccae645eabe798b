import { HostsideError, type JsonObject, type ServerSpec } from "@hostside/core";
import { safeCause, serverTypeOf, utf8Length } from "@hostside/core/implement";
import type { TransportContext } from "../context/server-context.ts";
import { endsOf, excessValues, recoverRequestId, rejectDeepMessage } from "../message/bound-message.ts";
import type { SendOptions, Transport } from "../message/transport.ts";

/**
 * Hands one end of a linked pair to `spec.serve` and returns the other. The promise that `serve`
 * returns is not awaited, because some servers resolve only when their connection ends. If it
 * rejects, the transport closes with `spawn_failed`. Throws `spawn_failed` when `serve` throws.
 */
export async function openMemory(spec: ServerSpec, context: TransportContext): Promise<Transport> {
  const { serverId, redact, settings } = context;
  if (spec.type !== "memory") throw new TypeError(`openMemory() cannot open a server of type "${serverTypeOf(spec)}"`);
  const host = new MemoryEnd(serverId, (text) => {
    const error = excessValues(text, { ...settings.limits, serverId });
    if (error === undefined) return rejectDeepMessage(JSON.parse(text) as JsonObject, host, serverId);
    const id = recoverRequestId(endsOf(text));
    if (id === undefined) host.onerror?.(error);
    else host.onrequestfailed?.(id, error);
  });
  const server = new MemoryEnd(serverId, (text) => server.onmessage?.(JSON.parse(text) as JsonObject));
  host.peer = server;
  server.peer = host;
  const fail = (cause: unknown): HostsideError =>
    new HostsideError(`"serve" of server ${JSON.stringify(serverId)} failed`, {
      code: "spawn_failed",
      serverId,
      cause: safeCause(cause, redact),
    });
  try {
    // The spec is typed without any SDK; what `serve` takes is the `Transport` of either line.
    const served: unknown = spec.serve(server as never);
    Promise.resolve(served).catch((error: unknown) => {
      host.closeReason = fail(error);
      return host.close();
    });
  } catch (error) {
    throw fail(error);
  }
  return host;
}

/**
 * One of two transports in one process: what one sends, the other gets. Messages are copied through
 * JSON and arrive in order in a later turn, as over any other transport, so that neither side holds
 * the other's objects or runs inside the other's call. Closing one end closes the other.
 */
class MemoryEnd implements Transport {
  readonly isOrdered = true;
  onmessage: Transport["onmessage"];
  onerror: Transport["onerror"];
  onclose: Transport["onclose"];
  onrequestfailed: Transport["onrequestfailed"];
  closeReason: HostsideError | undefined;
  peer: MemoryEnd | undefined;
  readonly #serverId: string;
  readonly #receive: (text: string) => void;
  /** Messages that came before `start()`. */
  #early: string[] | undefined = [];
  #isClosed = false;

  constructor(serverId: string, receive: (text: string) => void) {
    this.#serverId = serverId;
    this.#receive = receive;
  }

  async start(): Promise<void> {
    if (this.#isClosed) throw closedError(this.#serverId);
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const text of early) this.#take(text);
  }

  async send(message: JsonObject, options?: SendOptions): Promise<void> {
    if (this.#isClosed) throw closedError(this.#serverId);
    const text = JSON.stringify(message);
    options?.onSize?.(utf8Length(text));
    if (this.peer !== undefined) this.peer.#take(text);
  }

  async close(): Promise<void> {
    this.#end();
    if (this.peer !== undefined) this.peer.#end();
  }

  #take(text: string): void {
    if (this.#early !== undefined) this.#early.push(text);
    else
      queueMicrotask(() => {
        if (!this.#isClosed) this.#receive(text);
      });
  }

  #end(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#early = [];
    this.onclose?.();
  }
}

function closedError(serverId: string): HostsideError {
  return new HostsideError(`the connection to server ${JSON.stringify(serverId)} closed`, {
    code: "connection_closed",
    serverId,
    outcome: "not-sent",
  });
}
