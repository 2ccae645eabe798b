import { attribute } from "../names.ts";
import { quietly } from "../quietly.ts";
import type { WatchedResources } from "../watched.ts";
import { boundedServerId, type MetricParts } from "./call-metrics.ts";

type ServerCounters = ReturnType<WatchedResources["stats"]>["servers"][number];
type Counter = "cacheHits" | "cacheMisses" | "refusedUris";

/** Writes what was counted since it was asked last. */
export function createResourceCounts(resources: WatchedResources, parts: MetricParts): () => void {
  const seen = new Map<string, ServerCounters>();
  return () => {
    const instruments = parts.find();
    if (instruments === undefined) return;
    quietly(() => {
      for (const now of resources.stats().servers) {
        const before = seen.get(now.serverId);
        seen.set(now.serverId, now);
        // Of a server that was removed and came again, it begins anew.
        const more = (counter: Counter): number =>
          before !== undefined && now[counter] >= before[counter] ? now[counter] - before[counter] : now[counter];
        write(
          now.serverId,
          { hits: more("cacheHits"), misses: more("cacheMisses"), refused: more("refusedUris") },
          parts,
        );
      }
    });
  };
}

interface Counted {
  readonly hits: number;
  readonly misses: number;
  readonly refused: number;
}

function write(serverId: string, { hits, misses, refused }: Counted, parts: MetricParts): void {
  const { hostside, nexo } = parts.find() ?? {};
  const server = boundedServerId(serverId, parts);
  const own = { [attribute.server]: server };
  if (hits > 0) {
    hostside?.cacheReads.add(hits, { ...own, "hostside.cache.result": "hit" });
    nexo?.cacheHits.add(hits, { server });
  }
  if (misses > 0) {
    hostside?.cacheReads.add(misses, { ...own, "hostside.cache.result": "miss" });
    nexo?.cacheMisses.add(misses, { server });
  }
  if (refused > 0) {
    hostside?.refusedUris.add(refused, own);
    nexo?.allowlistViolations.add(refused, { server });
  }
}
