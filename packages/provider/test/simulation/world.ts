import { createSimulatedServer, type SimulatedServer } from "./simulated-server.ts";
import type { VirtualClock } from "./virtual-clock.ts";

/** Where simulated servers live. */
export interface World {
  readonly clock: VirtualClock;
  /**
   * Every step over the wire goes through it: whoever owns the world decides when it happens, and
   * in which order.
   */
  readonly pause: (serverId: string, step: string) => Promise<void>;
  readonly servers: Map<string, SimulatedServer>;
}

/** The server of this id; made, with one tool, when it is new. */
export function serverOf(world: World, id: string): SimulatedServer {
  const server = world.servers.get(id) ?? createSimulatedServer(id, ["echo"]);
  world.servers.set(id, server);
  return server;
}
