import type { ServerSpec } from "@hostside/core";
import { compareText, sameJson } from "@hostside/core/implement";
import type { ConfigChange } from "./config-watch.ts";
import type { LoadedConfig } from "./load-config.ts";

/** What is different between two sets of specs. */
export function diffSpecs(before: readonly ServerSpec[], after: readonly ServerSpec[]): ConfigChange {
  const had = new Map(before.map((spec) => [spec.id, spec]));
  const has = new Map(after.map((spec) => [spec.id, spec]));
  return {
    added: [...has.keys()].filter((id) => !had.has(id)),
    updated: after.filter((spec) => had.has(spec.id) && !sameJson(had.get(spec.id), spec)).map(({ id }) => id),
    removed: [...had.keys()].filter((id) => !has.has(id)),
    failed: [],
  };
}

/**
 * A configuration whose servers that cannot be used any more are what they were before, and which
 * those are.
 */
export function keepSpecs(
  config: LoadedConfig,
  before: LoadedConfig | undefined,
): { readonly config: LoadedConfig; readonly keptServers: readonly string[] } {
  const failed = new Set(config.sources.filter(({ state }) => state === "failed").map(({ serverId }) => serverId));
  const kept = (before?.servers ?? []).filter(({ id, disabled }) => failed.has(id) && disabled !== true);
  if (before === undefined || kept.length === 0) return { config, keptServers: [] };
  const servers = [...config.servers, ...kept].toSorted((a, b) => compareText(a.id, b.id));
  // They may be in what is kept.
  const secrets = [...new Set([...config.secrets, ...before.secrets])];
  return { config: { ...config, servers, secrets }, keptServers: kept.map(({ id }) => id) };
}
