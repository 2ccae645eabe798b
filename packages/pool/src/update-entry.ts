import { isToolportError } from "@toolport/core";
import { sameJson } from "@toolport/core/implement";
import type { McpProvider } from "@toolport/provider";
import type { Entry } from "./entry.ts";
import type { PoolParts } from "./pool-parts.ts";

/** Gives a provider the servers that it is to have, if it has others. It has them when this returns; what has to start, starts. */
export function updateEntry(entry: Entry, provider: McpProvider, { settings, events, config }: PoolParts): void {
  const wanted = config();
  const before = entry.config;
  if (wanted === before || wanted === entry.refused) return;
  entry.config = wanted;
  if (sameJson(wanted.servers, before.servers)) return;
  const { key } = entry;
  const { drainMs } = settings;
  const applied = (async () =>
    provider.applyServers(wanted.servers, { drainMs, reason: "its configuration changed" }))();
  applied.then(
    () => events.emit({ type: "updated", key }),
    (error: unknown) => {
      if (isToolportError(error) && error.code === "closed") return;
      entry.refused = wanted;
      if (entry.config === wanted) entry.config = before;
      events.emit({ type: "update-failed", key, error });
    },
  );
}
