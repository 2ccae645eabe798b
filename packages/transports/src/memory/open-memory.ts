import { ToolportError, type MemoryTransportSpec } from "@toolport/core";
import { safeCause } from "@toolport/core/implement";
import { adaptTransport, type AdaptTransportInit } from "../sdk/adapt-transport.ts";
import type { HostTransport } from "../message/transport.ts";
import { createLinkedPair } from "./linked-pair.ts";

/**
 * Hands one end of a linked pair to `spec.serve` and returns the other. What `serve` returns is not awaited, because some servers
 * resolve only when their connection ends; but when it rejects, the transport closes with `spawn_failed`. Throws `spawn_failed` when
 * `serve` throws.
 */
export function openMemory(spec: MemoryTransportSpec, init: AdaptTransportInit): HostTransport {
  const { serverId, redact } = init;
  const pair = createLinkedPair();
  const adapted = adaptTransport(pair.host, { ...init, isOrdered: true });
  let closeReason: ToolportError | undefined;
  const fail = (cause: unknown): ToolportError =>
    new ToolportError(`"serve" of server ${JSON.stringify(serverId)} failed`, {
      code: "spawn_failed",
      serverId,
      cause: safeCause(cause, redact),
    });
  try {
    // The spec is typed without any SDK; what `serve` takes is the `Transport` of either line.
    const served: unknown = spec.serve(pair.server as never);
    Promise.resolve(served).catch((error: unknown) => {
      closeReason = fail(error);
      return pair.host.close();
    });
  } catch (error) {
    throw fail(error);
  }
  return Object.defineProperty(adapted, "closeReason", { get: () => closeReason });
}
