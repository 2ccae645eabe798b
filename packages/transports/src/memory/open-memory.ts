import { HostsideError, type ServerSpec } from "@hostside/core";
import { safeCause, serverTypeOf } from "@hostside/core/implement";
import type { TransportContext } from "../context/transport-context.ts";
import { excessValues, rejectDeepMessage } from "../message/admission.ts";
import { endsOf, recoverRequestId } from "../message/recover-request-id.ts";
import type { Transport } from "../message/transport.ts";
import { createLinkedPair } from "./linked-pair.ts";

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
