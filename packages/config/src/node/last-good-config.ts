import type { ConfigProblem } from "../problem/config-problem.ts";
import type { ConfigResult } from "../read-config.ts";

/** Remembers of each file what it said when it was last right. */
export interface LastGoodConfigs {
  /**
   * What is used of a file: what it says now, or, where that is worse, what it said before, with
   * the problems of now.
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

// An edit is not good when it has a fault that costs what was there: the file as a whole, or one of
// its servers.
function isWorse(result: ConfigResult, before: ConfigResult): boolean {
  if (before.servers.length === 0) return false;
  const known = new Set(before.problems.map(keyOf));
  const had = new Set(before.servers.map(({ id }) => id));
  for (const { id } of result.servers) had.delete(id);
  return result.problems.some((problem) => {
    if (problem.code === "empty_file") return true;
    if (problem.severity !== "error" || known.has(keyOf(problem))) return false;
    return problem.serverId === undefined || had.has(problem.serverId);
  });
}

function keyOf({ code, path }: ConfigProblem): string {
  return `${code} ${path}`;
}
