import type { JsonObject, ServerSpec } from "@hostside/core";
import { fingerprintReach, type SavedCatalog } from "@hostside/provider";
import type { Program } from "./program.ts";
import { changeTools, toolsOf } from "./simulated-server.ts";
import { infoOf } from "./simulated-session.ts";
import { firstDate } from "./virtual-clock.ts";
import { serverOf, type World } from "./world.ts";

/** What the servers listed before the run; and what became of server `a` since then. */
export function saveCatalog(
  saved: Program["saved"],
  servers: readonly ServerSpec[],
  world: World,
): SavedCatalog | undefined {
  if (saved === "nothing") return undefined;
  const listings = servers.map((spec) => {
    const server = serverOf(world, spec.id);
    server.era = saved === "outdated" ? "legacy" : "modern";
    return {
      serverId: spec.id,
      reachedBy: fingerprintReach(spec, undefined),
      listedAt: firstDate,
      ttlMs: saved === "outdated" ? 0 : 3_600_000,
      cacheScope: "private" as const,
      server: { ...infoOf(spec.id, server) },
      tools: JSON.parse(JSON.stringify(toolsOf(server))) as JsonObject[],
    };
  });
  const changed = serverOf(world, "a");
  if (saved === "outdated") changeTools(changed, (tools, version) => void tools.set("echo", version).set("x", version));
  changed.isOther = saved === "other";
  return { version: 1, servers: listings };
}
