import type { ServerExtras } from "@hostside/config";
import type { ConfigChange, LoadedConfig } from "@hostside/config/node";
import type { Connector, ServerSpec } from "@hostside/core";
import { hostsideNaming } from "@hostside/naming";
import type { ApplyOptions } from "@hostside/provider";
import type { ConfigOptions, HostOptions } from "../contract/host-options.ts";
import type { FollowedServers } from "../shared-servers/follow-shared-servers.ts";
import { readServerEntries, type ReadEntry } from "../contract/server-entries.ts";
import { settleServers, type SettledServers } from "./settle-servers.ts";

/** Parts of {@linkcode createServerSources}. */
export interface SourcesInit {
  readonly options: Pick<HostOptions, "servers" | "provider">;
  readonly connector: Pick<Connector, "check" | "perCaller">;
  /** The servers of all replicas, if there are any. */
  readonly shared: FollowedServers | undefined;
  /** Changes each spec last. */
  readonly prepare: (spec: ServerSpec) => ServerSpec;
}

/** Takes over a set of servers. */
export interface ServersTarget {
  applyServers(specs: readonly ServerSpec[], options: ApplyOptions): Promise<ConfigChange>;
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
  start(target: ServersTarget): void;
}

const nothing: LoadedConfig = { servers: [], settings: {}, problems: [], sources: [], secrets: [], questions: [] };

/** The servers of the product's code, of the files and of all replicas, and who applies them. */
export function createServerSources(
  { options, connector, shared, prepare }: SourcesInit,
  wanted: ConfigOptions | undefined,
): ServerSources {
  const { allow, revise } = wanted ?? {};
  const { naming = hostsideNaming } = options.provider ?? {};
  const own = new Map(readServerEntries(options.servers ?? {}).map((server) => [server.spec.id, server]));
  let start = (_target: ServersTarget): void => undefined;
  const started = new Promise<ServersTarget>((resolve) => {
    start = resolve;
  });
  const settle = (config: LoadedConfig): SettledServers => {
    const servers = { given: Array.from(own.values(), ({ spec }) => spec), shared: shared?.specs ?? [], allow, naming };
    const settled = settleServers(reviseServers(config, revise), servers);
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
function startedSource(
  serverId: string,
  sources: LoadedConfig["sources"],
): LoadedConfig["sources"][number] | undefined {
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
