import type { ConfigProblem } from "@hostside/config";
import type { LoadedConfig, ServerSource } from "@hostside/config/node";
import type { ServerSpec } from "@hostside/core";
import { foldCase, quoteText } from "@hostside/core/implement";
import { normalizeServerId, type NamingStrategy } from "@hostside/naming";

/** Servers of other sources, and the product's choice. */
export interface ServersWanted {
  /** Specs of the product's own, which win. */
  readonly given: readonly ServerSpec[];
  /** Servers of all replicas, which come next. */
  readonly shared: readonly ServerSpec[];
  readonly allow: ((serverId: string) => boolean) | undefined;
  readonly naming: NamingStrategy;
}

/**
 * The servers that there are, and the configuration as it is used: with what the rest costs among
 * its problems.
 */
export interface SettledServers {
  readonly specs: readonly ServerSpec[];
  readonly config: LoadedConfig;
}

/**
 * Merges the servers: the product's own before those of all replicas, these before those of a
 * configuration, and of several whose ids are the same in the names of tools the strongest; the
 * others are a problem with its place. Servers that are not wanted are left out. Pure.
 */
export function settleServers(config: LoadedConfig, { given, shared, allow, naming }: ServersWanted): SettledServers {
  const isWanted = (serverId: string): boolean => allow === undefined || allow(serverId);
  const taken = new Map<string, string>();
  const take = ({ id }: ServerSpec): void => idKeys(id, naming).forEach((key) => taken.set(key, id));
  given.forEach(take);
  const added = shared.filter((spec) => {
    if (idKeys(spec.id, naming).some((key) => taken.has(key))) return false;
    take(spec);
    return true;
  });
  const used: ServerSpec[] = [];
  const alike = new Map<string, string>();
  for (const spec of config.servers.toSorted(byStrength)) {
    const keys = idKeys(spec.id, naming);
    const [rival] = keys.flatMap((key) => taken.get(key) ?? []);
    if (rival !== undefined) {
      alike.set(spec.id, rival);
      continue;
    }
    take(spec);
    used.push(spec);
  }
  const specs = config.servers.filter((spec) => used.includes(spec));
  const sources = config.sources.filter(({ serverId }) => isWanted(serverId));
  return {
    specs: [...specs, ...added, ...given],
    config: {
      ...config,
      servers: specs,
      sources: sources.map((source) => (alike.has(source.serverId) ? { ...source, state: "failed" as const } : source)),
      questions: config.questions.filter(({ serverId }) => isWanted(serverId)),
      problems: [
        ...config.problems.filter(({ serverId }) => serverId === undefined || isWanted(serverId)),
        ...sources.flatMap((source) => alikeProblem(source, alike.get(source.serverId)) ?? []),
      ],
    },
  };
}

/**
 * Keys of an id. Two ids with one key cannot both be used: they have the same text in names of
 * tools, or differ in case alone.
 */
export function idKeys(id: string, naming: NamingStrategy): readonly string[] {
  return [`name ${normalizeServerId(id, naming)}`, `case ${foldCase(id)}`];
}

// What a project brings takes no name from what its user has.
const strongestLast = ["project", "local", "extension", "user", "command-line"];

/** Sorts servers that start before others, then the user's own. */
function byStrength(a: ServerSpec, b: ServerSpec): number {
  return Number(a.disabled === true) - Number(b.disabled === true) || rankOf(b) - rankOf(a);
}

function rankOf({ labels }: ServerSpec): number {
  return strongestLast.indexOf(labels?.["scope"] ?? "");
}

function alikeProblem(source: ServerSource, rival: string | undefined): ConfigProblem | undefined {
  if (rival === undefined) return undefined;
  const { serverId, file, line, column, path } = source;
  return {
    ...(file !== undefined && { file }),
    ...(line !== undefined && { line }),
    ...(column !== undefined && { column }),
    path,
    severity: "error",
    code: "ids_alike",
    message: `${quoteText(serverId, 80)} is the same as ${quoteText(rival, 80)} in the names of tools, and is not used`,
    fix: "give one of them another name",
    serverId,
  };
}
