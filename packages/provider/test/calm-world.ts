import { vi } from "vitest";
import type { ServerInfo } from "@hostside/core";
import { createProvider, type McpProvider, type ProviderOptions } from "@hostside/provider";
import { createSimulatedConnector } from "./simulation/simulated-connector.ts";
import { serverOf, type World } from "./simulation/world.ts";
import { changeTools, type SimulatedServer } from "./simulation/simulated-server.ts";
import { infoOf } from "./simulation/simulated-session.ts";
import { useVirtualClock } from "./simulation/virtual-clock.ts";

/** A world in which every step happens at once and in order, for tests of one behaviour each. */
export interface CalmWorld extends World {
  /** The server of this id. With `tools`, these are all it has; a new one has `echo` otherwise. */
  server(id: string, ...tools: readonly string[]): SimulatedServer;
  /** What a server says of itself. */
  info(id: string): ServerInfo;
  provider(options?: Partial<ProviderOptions>): McpProvider;
  /**
   * The steps of one server, or of all, wait from now on; the returned function lets them and all
   * later ones go on.
   */
  hold(id?: string): () => void;
  /** Lets everything happen that does not need time to pass. */
  settle(): Promise<void>;
}

/** Makes a world without servers. */
export function createCalmWorld(): CalmWorld {
  // So that the jitter of waits is in the numbers.
  vi.spyOn(Math, "random").mockReturnValue(0.5);
  const holds = new Set<{ readonly id: string | undefined; readonly steps: (() => void)[] }>();
  const world: World = {
    clock: useVirtualClock(),
    pause: (serverId) =>
      new Promise((resolve) => {
        const hold = Array.from(holds).find(({ id }) => id === undefined || id === serverId);
        if (hold === undefined) resolve();
        else hold.steps.push(resolve);
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
    info: infoOf,
    provider: (options = {}) => createProvider({ connector: createSimulatedConnector(world), ...options }),
    hold(id) {
      const hold = { id, steps: [] as (() => void)[] };
      holds.add(hold);
      return () => {
        holds.delete(hold);
        for (const step of hold.steps) step();
      };
    },
    async settle() {
      for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

/**
 * What a promise rejects with; taken care of at once, so that it may reject long before it is
 * looked at.
 */
export async function failureOf(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
  } catch (reason) {
    return reason;
  }
  throw new Error("it did not reject");
}
