import type { ListChange } from "../../src/resources/live-list.ts";
import type { Resource } from "@hostside/core";
import { createWorld, type World, type WorldOptions } from "./scripted-world.ts";

/** A world whose lists of resources are kept up to date, because somebody listens. */
export interface Watched extends World {
  readonly changes: ListChange<Resource>[];
  /** What the snapshot shows: server id and URI. */
  readonly shown: () => readonly string[];
  /** How often server `a` was asked for its resources. */
  readonly times: () => number;
  readonly announce: (id?: string) => void;
}

/** Makes one, and listens. */
export function watch(options: WorldOptions = {}): Watched {
  const world = createWorld(options);
  const changes: ListChange<Resource>[] = [];
  world.resources.onResourcesChanged((change) => changes.push(change));
  return { ...world, ...viewOf(world), changes };
}

/** What is seen of a world, whether anybody listens or not. */
export function viewOf({ resources, server }: World): Pick<Watched, "shown" | "times" | "announce"> {
  return {
    shown: () => resources.snapshot().entries.map(({ serverId, uri }) => `${serverId} ${uri}`),
    times: () => server("a").asked.filter(({ method }) => method === "resources/list").length,
    announce: (id = "a") => server(id).hooks().onResourcesChanged?.(),
  };
}
