import { ToolportError, type MemoryTransportSpec } from "@toolport/core";
import { adaptTransport } from "../custom/adapt-transport.ts";
import type { HostTransport } from "../host-transport.ts";
import { createLinkedPair } from "./linked-pair.ts";

/**
 * Hands one end of a linked pair to `spec.serve` and returns the other. Throws `spawn_failed` when `serve` throws; a promise it
 * returns is watched, not awaited, because some servers resolve theirs only when the connection ends.
 */
export function openMemory(spec: MemoryTransportSpec, serverId: string): HostTransport {
  const { host, server } = createLinkedPair();
  const transport = adaptTransport(host, serverId);
  try {
    // The spec is typed without any SDK; what `serve` takes is the SDK's `Transport` of either line.
    const served = spec.serve(server as never);
    Promise.resolve(served).then(undefined, (error: unknown) => {
      transport.onerror?.(error instanceof Error ? error : new Error(String(error)));
      void host.close();
    });
  } catch (error) {
    throw new ToolportError(`"serve" of ${JSON.stringify(serverId)} threw`, {
      code: "spawn_failed",
      serverId,
      cause: error,
    });
  }
  return transport;
}
