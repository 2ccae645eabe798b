import type { ConfigProblem, ServerExtras } from "@hostside/config";
import type { ConfigChange, LoadedConfig, ServerSource } from "@hostside/config/node";
import type { Connector, ServerSpec } from "@hostside/core";
import { foldCase, quoteText } from "@hostside/core/implement";
import { hostsideNaming, normalizeServerId, type NamingStrategy } from "@hostside/naming";
import type { ApplyOptions, McpProvider } from "@hostside/provider";
import type { ConfigOptions, HostOptions } from "../contract/host-options.ts";
import type { FollowedServers } from "../shared-servers/follow-shared-servers.ts";
import { readServerEntries, type ReadEntry } from "../contract/server-entries.ts";

/** Parts of {@linkcode createServerSources}. */
export interface SourcesInit {
  readonly options: Pick<HostOptions, "servers" | "provider">;
  readonly connector: Pick<Connector, "check" | "perCaller">;
  /** The servers of all replicas, if there are any. */
  readonly shared: FollowedServers | undefined;
  /** Changes each spec last. */
  readonly prepare: (spec: ServerSpec) => ServerSpec;
}

/**
 * The servers that there are, and the configuration as it is used: with what the rest costs among
 * its problems.
 */
export interface SettledServers {
  readonly specs: readonly ServerSpec[];
  readonly config: LoadedConfig;
}

/** The servers of all sources, as they are now. */
export interface ServerSources {
  /** The configuration as it was read last. */
  readonly raw: LoadedConfig;
  readonly current: SettledServers;
  /** The configuration as it is used; `undefined` where none is wanted. */
  readonly config: LoadedConfig | undefined;
  /** The servers that there are now. */
  readonly specs: readonly ServerSpec[];
  /**
   * The servers of the product's own code, by their ids. A change takes effect with
   * {@linkcode apply}.
   */
  readonly own: Map<string, ReadEntry>;
  /**
   * Settles the servers of all sources, and applies nothing. Default: with the configuration that
   * was read last.
   */
  take(config?: LoadedConfig): SettledServers;
  /** Specs of {@linkcode current} that come from files. */
  ofFiles(): readonly ServerSpec[];
  extrasOf(serverId: string): ServerExtras | undefined;
  /** Tells if calls and reads carry their conversation and role to a server. */
  passesContext(serverId: string): boolean;
  /** Applies the servers that there are now. Rejects as the target does. */
  apply(options: ApplyOptions): Promise<ConfigChange>;
  /** Has edits applied, from now on. */
  start(target: Pick<McpProvider, "applyServers">): void;
}

const nothing: LoadedConfig = { servers: [], settings: {}, problems: [], sources: [], secrets: [], questions: [] };

/** The servers of the product's code, of the files and of all replicas, and who applies them. */
export function createServerSources(
  { options, connector, shared, prepare }: SourcesInit,
  wanted: ConfigOptions | undefined,
): ServerSources {
  const { allow: isWanted = () => true, revise } = wanted ?? {};
  const { naming = hostsideNaming } = options.provider ?? {};
  const own = new Map(readServerEntries(options.servers ?? {}).map((server) => [server.spec.id, server]));
  let start = (_target: Pick<McpProvider, "applyServers">): void => undefined;
  const started = new Promise<Pick<McpProvider, "applyServers">>((resolve) => {
    start = resolve;
  });
  const settle = (config: LoadedConfig): SettledServers => {
    const given = Array.from(own.values(), ({ spec }) => spec);
    const settled = settleServers(reviseServers(config, revise), [given, shared?.specs ?? []], { naming, isWanted });
    const identify = (spec: ServerSpec): ServerSpec => {
      const isPerCaller = connector.perCaller?.(spec) === true || passesContext(spec.id, settled.config);
      return { ...spec, source: sourceOf(spec.id, settled.config), ...(isPerCaller && { perCaller: true }) };
    };
    return { specs: settled.specs.map((spec) => identify(prepare(spec))), config: settled.config };
  };
  const isShared = (serverId: string): boolean => shared?.specs.some(({ id }) => id === serverId) === true;
  const sourceOf = (serverId: string, { sources }: LoadedConfig): string => {
    if (own.has(serverId)) return "servers";
    return isShared(serverId) ? "sharedServers" : (startedSource(serverId, sources)?.file ?? "config");
  };
  const extrasOf = (serverId: string, { sources } = current.config): ServerExtras | undefined =>
    own.get(serverId)?.extras ?? shared?.extrasOf(serverId) ?? startedSource(serverId, sources)?.extras;
  const passesContext = (serverId: string, config = current.config): boolean =>
    extrasOf(serverId, config)?.passContext ?? config.settings.passContext ?? false;
  let raw = nothing;
  let current: SettledServers = { specs: [], config: raw };
  current = settle(raw);
  const take = (config: LoadedConfig = raw): SettledServers => {
    raw = config;
    current = settle(config);
    return current;
  };
  return {
    own,
    take,
    extrasOf: (serverId) => extrasOf(serverId),
    passesContext: (serverId) => passesContext(serverId),
    ofFiles() {
      const ids = new Set(current.config.servers.map(({ id }) => id));
      return current.specs.filter(({ id }) => ids.has(id));
    },
    get config() {
      return wanted && current.config;
    },
    get specs() {
      return current.specs;
    },
    get raw() {
      return raw;
    },
    get current() {
      return current;
    },
    start,
    async apply(options) {
      const target = await started;
      return target.applyServers(take().specs, options);
    },
  };
}

/**
 * The source of a server that starts: what does not is not trusted, or not what runs by this name.
 */
function startedSource(serverId: string, sources: readonly ServerSource[]): ServerSource | undefined {
  return sources.find((source) => source.serverId === serverId && source.state === "on");
}

/**
 * The configuration with its servers as the product wants them. The source of a server that is left
 * out says so.
 */
function reviseServers(config: LoadedConfig, revise: ConfigOptions["revise"]): LoadedConfig {
  if (revise === undefined) return config;
  const revised = new Map(config.servers.map((spec) => [spec.id, revise(spec, config)]));
  const isOut = (id: string): boolean => revised.has(id) && revised.get(id) === undefined;
  return {
    ...config,
    servers: [...revised.values()].filter((spec) => spec !== undefined),
    sources: config.sources.map((source) =>
      isOut(source.serverId) ? { ...source, state: "off" as const, off: "not wanted" as const } : source,
    ),
  };
}

/**
 * Merges the servers: the product's own before those of all replicas, these before those of a
 * configuration, and of several whose ids are the same in the names of tools the strongest; the
 * others are a problem with its place. Servers that are not wanted are left out. Pure.
 */
function settleServers(
  config: LoadedConfig,
  [given, shared]: readonly [given: readonly ServerSpec[], shared: readonly ServerSpec[]],
  { naming, isWanted }: { readonly naming: NamingStrategy; readonly isWanted: (serverId: string) => boolean },
): SettledServers {
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
