import type { ServerExtras, Trust } from "@hostside/config";
import {
  loadConfig,
  watchConfig,
  type ConfigChange,
  type ConfigReport,
  type ConfigTarget,
  type ConfigWatch,
  type LoadedConfig,
} from "@hostside/config/node";
import type { Connector, Diagnostic, Event, ServerSpec } from "@hostside/core";
import { clock, createEvent, sameJson } from "@hostside/core/implement";
import { hostsideNaming } from "@hostside/naming";
import type { ApplyOptions } from "@hostside/provider";
import { keepToBound } from "../lifecycle/keep-to-bound.ts";
import type { ConfigOptions, HostOptions } from "../host-options.ts";
import type { FollowedServers } from "../shared-servers/follow-shared-servers.ts";
import { readServerEntries, type ReadEntry } from "./server-entries.ts";
import { configError, slowConfigError } from "./config-error.ts";
import { settleServers, type SettledServers } from "./settle-servers.ts";

/** Parts of {@linkcode openConfiguration}. */
export interface OpeningConfig {
  readonly options: Pick<HostOptions, "config" | "servers" | "provider">;
  readonly connector: Pick<Connector, "check" | "perCaller">;
  /** The servers of all replicas, if there are any. */
  readonly shared: FollowedServers | undefined;
  readonly report: (diagnostic: Diagnostic) => void;
  /** Decides about servers that a project brings, where the product names nobody. */
  readonly trust: Trust;
  /** Changes each spec last. */
  readonly prepare: (spec: ServerSpec) => ServerSpec;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

/** Takes over a set of servers. */
export interface ServersTarget {
  applyServers(specs: readonly ServerSpec[], options: ApplyOptions): Promise<ConfigChange>;
}

/** The servers that there are, and where they come from. */
export interface Configuration {
  /** `undefined` where there is none: all servers are the product's own. */
  readonly config: LoadedConfig | undefined;
  /** The servers that there are now. */
  readonly specs: readonly ServerSpec[];
  /** How long it took, without what took a human. */
  readonly spentMs: number;
  extrasOf(serverId: string): ServerExtras | undefined;
  /** Tells if calls and reads carry their conversation and role to a server. */
  passesContext(serverId: string): boolean;
  readonly onReport: Event<ConfigReport>;
  /**
   * The servers of the product's own code, by their ids. A change takes effect with
   * {@linkcode apply}.
   */
  readonly own: Map<string, ReadEntry>;
  /** Reads {@linkcode own} anew, and applies nothing. Returns the servers that there are now. */
  settle(): readonly ServerSpec[];
  /** Applies the servers that there are now. Rejects as the target does. */
  apply(options: ApplyOptions): Promise<ConfigChange>;
  /** Has edits applied, from now on. */
  start(target: ServersTarget): void;
  /** Nothing is read, watched or applied any more. Idempotent. */
  close(): Promise<void>;
}

const nothing: LoadedConfig = { servers: [], settings: {}, problems: [], sources: [], secrets: [], questions: [] };
const longestReadMs = 10_000;
const applyMs = 10_000;

/**
 * Loads what is wanted, and watches it. Rejects with `invalid_config` when servers or files were
 * named and no server can be used, or nothing could be read in time, where nobody is asked
 * meanwhile; with `aborted`; nothing of it is left then.
 */
export async function openConfiguration(opening: OpeningConfig): Promise<Configuration> {
  const { shared, connector } = opening;
  const wanted = readConfigOptions(opening.options.config);
  const { watch = true, allow: isWanted, revise, ...rest } = wanted ?? ({ files: [] } satisfies ConfigOptions);
  const servers = createServerSources(opening, { allow: isWanted, revise });
  const end = new AbortController();
  let applied: readonly ServerSpec[] = [];
  const reports = createEvent<ConfigReport>();
  const applyNow = (): Promise<ConfigChange | undefined> =>
    applyAfterEdit(servers.apply, { signal: end.signal, report: opening.report });
  shared?.start(() => {
    servers.take();
    void applyNow();
  });
  let isFirst = true;
  const target: ConfigTarget = {
    async applyServers(_specs, options, config) {
      const { specs } = servers.take(config);
      applied = servers.ofFiles();
      if (!isFirst) return servers.apply(options);
      isFirst = false;
      return { added: specs.map(({ id }) => id), updated: [], removed: [], failed: [] };
    },
  };
  // Nothing is expanded and nobody is asked for what the product's own servers stand in place of.
  const allow = (serverId: string): boolean => !servers.own.has(serverId) && isWanted?.(serverId) !== false;
  const check = connector.check && ((spec: ServerSpec) => connector.check?.(spec));
  const load = { ...rest, trust: rest.trust ?? opening.trust, allow, check, signal: end.signal };
  let watching: Promise<ConfigWatch> | undefined;
  const close = async (): Promise<void> => {
    end.abort();
    shared?.close();
    reports.close();
    const opened = await watching?.catch(() => undefined);
    await opened?.close();
  };
  const open = async (): Promise<void> => {
    if (wanted === undefined) return;
    if (!watch) return void servers.take(await loadConfig(load));
    watching = watchConfig({ ...load, target });
    const { config, onReport } = await watching;
    if (config !== servers.raw) servers.take(config);
    // Reports come in order, each when its change is applied.
    let last = Promise.resolve();
    onReport((report) => {
      const { config: used } = report.config === servers.raw ? servers.current : servers.take(report.config);
      // Settings alone may have others start, or have them hear of their callers.
      const change = sameJson(servers.ofFiles(), applied) ? undefined : applyNow();
      applied = servers.ofFiles();
      last = last.then(async () => reports.emit({ ...report, config: used, ...(await change) }));
    });
  };
  // A human is not hurried: the caller has a signal.
  const isAsking = rest.inputs !== undefined || (rest.trust?.canAsk === true && !watch);
  const timeoutMs = Math.max(opening.timeoutMs, longestReadMs);
  const bound = { signal: opening.signal, ...(!isAsking && { timeoutMs }) };
  const startedAt = clock.now();
  try {
    await keepToBound(open(), bound, () => slowConfigError(rest.files, timeoutMs));
    const isNamed = wanted !== undefined && (wanted.files ?? "auto") !== "auto";
    const error = isNamed && servers.own.size === 0 && shared === undefined ? configError(servers.raw) : undefined;
    if (error !== undefined) throw error;
  } catch (error) {
    await close();
    throw error;
  }
  return {
    get config() {
      return wanted === undefined ? undefined : servers.current.config;
    },
    get specs() {
      return servers.current.specs;
    },
    spentMs: isAsking ? 0 : clock.now() - startedAt,
    extrasOf: (serverId) => servers.extrasOf(serverId),
    passesContext: (serverId) => servers.passesContext(serverId),
    onReport: reports.on,
    own: servers.own,
    settle: () => servers.take().specs,
    apply: servers.apply,
    start: servers.start,
    close,
  };
}

function readConfigOptions(config: HostOptions["config"]): ConfigOptions | undefined {
  if (config === "auto") return { files: "auto" };
  if (typeof config === "string") return { files: [config] };
  return isList(config) ? { files: config } : config;
}

function isList<T>(given: readonly T[] | object | undefined): given is readonly T[] {
  return Array.isArray(given);
}

interface ServerSources extends Pick<Configuration, "own" | "apply" | "start" | "extrasOf" | "passesContext"> {
  /** The configuration as it was read last. */
  readonly raw: LoadedConfig;
  readonly current: SettledServers;
  /** Settles the servers of all sources. Default: with the configuration that was read last. */
  take(config?: LoadedConfig): SettledServers;
  /** Specs of {@linkcode current} that come from files. */
  ofFiles(): readonly ServerSpec[];
}

/** The servers of the product's code, of the files and of all replicas, and who applies them. */
function createServerSources(
  { options, connector, shared, prepare }: OpeningConfig,
  { allow, revise }: Pick<ConfigOptions, "allow" | "revise">,
): ServerSources {
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

/**
 * Applies the servers after an edit of settings or of shared servers. Never rejects: a failure is a
 * diagnostic.
 */
async function applyAfterEdit(
  apply: Configuration["apply"],
  { signal, report }: { readonly signal: AbortSignal; readonly report: (diagnostic: Diagnostic) => void },
): Promise<ConfigChange | undefined> {
  try {
    const { added, updated, removed, failed } = await apply({ signal, timeoutMs: applyMs });
    return { added, updated, removed, failed };
  } catch (error) {
    // Whoever closes wants no more of it.
    if (signal.aborted) return undefined;
    const why = error instanceof Error ? error.message : "they were refused";
    report({ kind: "setting-unused", serverId: "", message: `servers could not be applied: ${why}` });
    return undefined;
  }
}
