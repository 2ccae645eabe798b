import type { ServerExtras, Trust } from "@hostside/config";
import {
  loadConfig,
  watchConfig,
  type ConfigChange,
  type ConfigReport,
  type ConfigTarget,
  type ConfigWatch,
  type LoadConfigOptions,
  type LoadedConfig,
} from "@hostside/config/node";
import type { Clock, Diagnostic, Event, ServerSpec } from "@hostside/core";
import { createEvent, sameJson } from "@hostside/core/implement";
import { keepToBound, type Bound } from "../lifecycle/keep-to-bound.ts";
import type { ConfigOptions } from "../host-options.ts";
import type { FollowedServers } from "../shared-servers/follow-shared-servers.ts";
import { configError, slowConfigError } from "./config-error.ts";
import type { WantedConfig } from "./read-config-options.ts";
import { settleServers, type ServersWanted, type SettledServers } from "./settle-servers.ts";

/** What a configuration is opened with. */
export interface OpeningConfig extends WantedConfig, Pick<ServersWanted, "naming"> {
  readonly check: LoadConfigOptions["check"];
  /** The servers of all replicas, if there are any. */
  readonly shared: FollowedServers | undefined;
  readonly report: (diagnostic: Diagnostic) => void;
  /** Who decides about servers that a project brings, where the product names nobody. */
  readonly trust: Trust;
  /** What else becomes of each spec. */
  readonly prepare: (spec: ServerSpec) => ServerSpec;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  readonly clock: Clock;
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
  readonly onReport: Event<ConfigReport>;
  /** Has edits applied, from now on. */
  start(target: ConfigTarget): void;
  /** Nothing is read, watched or applied any more. Idempotent. */
  close(): Promise<void>;
}

const nothing: LoadedConfig = { servers: [], settings: {}, problems: [], sources: [], secrets: [], questions: [] };
const longestReadMs = 10_000;
const applyMs = 10_000;

/**
 * Loads what is wanted, and watches it. Rejects with `invalid_config` when servers or files were named and no server can be used, or nothing could be read in
 * time, where nobody is asked meanwhile; with `aborted`; nothing of it is left then.
 */
export async function openConfiguration(opening: OpeningConfig): Promise<Configuration> {
  const { wanted, given, shared, check, clock } = opening;
  const { watch = true, allow: isWanted, revise, ...rest } = wanted ?? ({ files: [] } satisfies ConfigOptions);
  const settle = createSettler(opening, { allow: isWanted, revise });
  const end = new AbortController();
  let current = settle(nothing);
  let raw = nothing;
  let applied = nothing.servers;
  const { promise: started, resolve: begin } = createPromise<ConfigTarget>();
  const reports = createEvent<ConfigReport>();
  const take = (config: LoadedConfig): void => {
    raw = config;
    current = settle(config);
  };
  const applyNow = (): ReturnType<typeof applyCurrent> =>
    applyCurrent(started, () => current, { signal: end.signal, report: opening.report });
  shared?.start(() => {
    take(raw);
    void applyNow();
  });
  let isFirst = true;
  const target: ConfigTarget = {
    async applyServers(_specs, options, config) {
      take(config);
      const { specs } = current;
      applied = current.config.servers;
      if (!isFirst) return (await started).applyServers(specs, options, config);
      isFirst = false;
      return { added: specs.map(({ id }) => id), updated: [], removed: [], failed: [] };
    },
  };
  const allow = createWanted(given, isWanted);
  const load = { ...rest, trust: rest.trust ?? opening.trust, allow, check, signal: end.signal };
  let watching: Promise<ConfigWatch> | undefined;
  const close = async (): Promise<void> => {
    end.abort();
    reports.close();
    const opened = await watching?.catch(() => undefined);
    await opened?.close();
  };
  const open = async (): Promise<void> => {
    if (wanted === undefined) return;
    if (!watch) return take(await loadConfig(load));
    watching = watchConfig({ ...load, clock, target });
    const { config, onReport } = await watching;
    if (config !== raw) take(config);
    const emit = createOrderedEmit((report) => reports.emit(report));
    onReport((report) => {
      if (report.config !== raw) take(report.config);
      // Settings alone may have others start.
      const change = sameJson(current.config.servers, applied) ? undefined : applyNow();
      applied = current.config.servers;
      emit({ ...report, config: current.config }, change);
    });
  };
  const bound = boundOf(opening, rest, watch);
  const startedAt = clock.now();
  try {
    await keepToBound(open(), bound, () => slowConfigError(rest.files, bound.timeoutMs ?? 0));
    assertUsable(opening, raw);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    get config() {
      return wanted === undefined ? undefined : current.config;
    },
    get specs() {
      return current.specs;
    },
    spentMs: bound.timeoutMs === undefined ? 0 : clock.now() - startedAt,
    // What does not start is not trusted, or is not what runs by this name.
    extrasOf: (serverId) =>
      current.config.sources.find((source) => source.serverId === serverId && source.state === "on")?.extras,
    onReport: reports.on,
    start: begin,
    close,
  };
}

function createPromise<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve = (_value: T): void => undefined;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** Nothing is expanded and nobody is asked for what the product's own servers stand in place of. */
function createWanted(
  given: readonly ServerSpec[],
  isWanted: ConfigOptions["allow"],
): NonNullable<ConfigOptions["allow"]> {
  const givenIds = new Set(given.map(({ id }) => id));
  return (serverId) => !givenIds.has(serverId) && isWanted?.(serverId) !== false;
}

function createSettler(
  { given, shared, naming, prepare }: OpeningConfig,
  { allow, revise = same }: Pick<ConfigOptions, "allow" | "revise">,
): (config: LoadedConfig) => SettledServers {
  return (config) => {
    const servers = { given, shared: shared?.specs ?? [], allow, naming };
    const { specs, config: used } = settleServers(reviseServers(config, revise), servers);
    return { specs: specs.map(prepare), config: used };
  };
}

/** Throws where servers or files were named, and none can be used. */
function assertUsable({ isNamed, given, shared }: OpeningConfig, raw: LoadedConfig): void {
  const error = isNamed && given.length === 0 && shared === undefined ? configError(raw) : undefined;
  if (error !== undefined) throw error;
}

function same(spec: ServerSpec): ServerSpec {
  return spec;
}

/** The configuration with its servers as the product wants them. One that is left out has a source that says so. */
function reviseServers(config: LoadedConfig, revise: NonNullable<ConfigOptions["revise"]>): LoadedConfig {
  if (revise === same) return config;
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

/** Emits reports one after the other, each when what it changed is applied. */
function createOrderedEmit(
  emit: (report: ConfigReport) => void,
): (report: ConfigReport, change: Promise<ConfigChange | undefined> | undefined) => void {
  let last = Promise.resolve();
  return (report, change) => {
    last = last.then(async () => emit({ ...report, ...(await change) }));
  };
}

/** Applies what there is now, though the files say what they said of servers. Never rejects. */
async function applyCurrent(
  started: Promise<ConfigTarget>,
  current: () => SettledServers,
  { signal, report }: { readonly signal: AbortSignal; readonly report: (diagnostic: Diagnostic) => void },
): Promise<ConfigChange | undefined> {
  try {
    const target = await started;
    const { specs, config } = current();
    if (signal.aborted) return undefined;
    const { added, updated, removed, failed } = await target.applyServers(
      specs,
      { signal, timeoutMs: applyMs },
      config,
    );
    return { added, updated, removed, failed };
  } catch (error) {
    // Whoever closes wants no more of it.
    if (signal.aborted) return undefined;
    const why = error instanceof Error ? error.message : "they were refused";
    report({ kind: "setting-unused", serverId: "", message: `servers could not be applied: ${why}` });
    return undefined;
  }
}

// A human is not hurried: whoever waits for one has a signal.
function boundOf(
  { timeoutMs, signal, clock }: OpeningConfig,
  { trust, inputs }: Pick<ConfigOptions, "trust" | "inputs">,
  isWatching: boolean,
): Bound {
  const isAsking = inputs !== undefined || (trust?.canAsk === true && !isWatching);
  return { signal, clock, timeoutMs: isAsking ? undefined : Math.max(timeoutMs, longestReadMs) };
}
