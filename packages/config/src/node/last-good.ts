import { compareText } from "@hostside/core/implement";
import type { ConfigResult } from "../dialects/read-parsed.ts";
import { isNothing } from "../layers/config-layer.ts";
import type { ConfigProblem } from "../parse/config-problem.ts";
import type { LoadedConfig } from "./load-config.ts";

/** Remembers of each file what it said when it was last right. */
export interface LastGoodConfigs {
  /**
   * Returns what is used of a file: what it says now, or, where that is worse, what it said before,
   * with the problems of now.
   */
  accept(path: string, result: ConfigResult): ConfigResult;
  /** Files whose last reading was not used. */
  readonly kept: readonly string[];
}

/** Nothing remembered yet. */
export function createLastGoodConfigs(): LastGoodConfigs {
  const good = new Map<string, ConfigResult>();
  const kept = new Set<string>();
  return {
    get kept() {
      return [...kept].toSorted();
    },
    accept(path, result) {
      const before = good.get(path);
      if (before !== undefined && isWorse(result, before)) {
        kept.add(path);
        return { ...before, problems: result.problems };
      }
      kept.delete(path);
      good.set(path, result);
      return result;
    },
  };
}

// An edit is not good when it has a fault that costs what was there: the file as a whole, a
// setting, or one of its servers.
function isWorse(result: ConfigResult, before: ConfigResult): boolean {
  if (isNothing(before)) return false;
  const known = new Set(before.problems.filter(({ severity }) => severity === "error").map(keyOf));
  const has = new Set(result.servers.map(({ id }) => id));
  return result.problems.some((problem) => {
    if (problem.code === "empty_file") return true;
    if (problem.severity !== "error" || known.has(keyOf(problem))) return false;
    const { serverId } = problem;
    return serverId === undefined || (!has.has(serverId) && before.servers.some(({ id }) => id === serverId));
  });
}

function keyOf({ code, path }: ConfigProblem): string {
  return `${code} ${path}`;
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
