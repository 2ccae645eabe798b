import { createProvider, type McpProvider, type ProviderOptions } from "@toolport/provider";
import { createSimulatedConnector, serverOf, type World } from "./simulation/simulated-connector.ts";
import { changeTools, type SimulatedServer } from "./simulation/simulated-server.ts";
import { createVirtualClock } from "./simulation/virtual-clock.ts";

/** A world in which every step happens at once and in order, for tests of one behaviour each. */
export interface CalmWorld extends World {
  server(id: string, ...tools: readonly string[]): SimulatedServer;
  provider(options?: Partial<ProviderOptions>): McpProvider;
  /** Steps wait from now on; the returned function lets them go on, and later ones too. */
  hold(): () => void;
}

/** Makes a world without servers. */
export function createCalmWorld(): CalmWorld {
  let held: (() => void)[] | undefined;
  const world: World = {
    clock: createVirtualClock(),
    pause: () =>
      new Promise((resolve) => {
        if (held === undefined) resolve();
        else held.push(resolve);
      }),
    servers: new Map(),
  };
  return {
    ...world,
    server(id, ...tools) {
      const server = serverOf(world, id);
      if (tools.length > 0) {
        changeTools(server, (all, version) => {
          all.clear();
          for (const tool of tools) all.set(tool, version);
        });
      }
      return server;
    },
    provider: (options = {}) =>
      createProvider({ connector: createSimulatedConnector(world), clock: world.clock, random: () => 0.5, ...options }),
    hold() {
      held ??= [];
      return () => {
        const steps = held ?? [];
        held = undefined;
        for (const step of steps) step();
      };
    },
  };
}

/** Lets everything happen that does not need time to pass. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
