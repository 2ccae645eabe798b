import { sameJson, untilAborted, compareText } from "@hostside/core/implement";
import type { TrustEntry } from "../trust/trust.ts";
import type { TrustPrompts } from "./trust-prompts.ts";
import type { ConfigChange, ConfigReport, WatchConfigOptions } from "./config-watch.ts";
import { watchPointsOf, type FolderWatch, type WatchPoints } from "./folder-watch.ts";
import { loadAll, type LoadAll, type LoadedConfig, type LoadMode } from "./load-config.ts";
import type { ServerSpec } from "@hostside/core";
import type { ConfigProblem } from "../parse/config-problem.ts";
import type { ConfigResult } from "../dialects/read-config.ts";

const mostLooks = 5;
// A server that hangs must not keep an edit waiting that mends it.
const longestWaitMs = 10_000;
const nothing: WatchPoints = new Map();

/** What a run of a watch works with. */
export interface WatchParts {
  readonly options: WatchConfigOptions;
  readonly signal: AbortSignal;
  readonly folders: FolderWatch;
  readonly good: LastGoodConfigs;
  readonly trustPrompts: TrustPrompts | undefined;
}

/** What a run left. */
export interface Used {
  readonly config: LoadedConfig;
  readonly keptFiles: readonly string[];
  readonly keptServers: readonly string[];
  /** What the target has: something else than the configuration where it refused that. */
  readonly applied: LoadedConfig["servers"];
  readonly undecided: readonly TrustEntry[];
}

/**
 * Loads, and applies what is different. Rejects for the first load alone; what fails later is in
 * the report.
 */
export async function runOnce(parts: WatchParts, before: Used | undefined): Promise<Run> {
  if (before === undefined) return loadAndApply(parts, undefined);
  try {
    return await loadAndApply(parts, before);
  } catch (error) {
    // A part that the host gave has failed: the trust that it asks.
    const { config, keptFiles, keptServers } = before;
    return { next: before, report: { ...noChange, config, keptFiles, keptServers, error } };
  }
}

interface Run {
  readonly next: Used;
  readonly report?: ConfigReport | undefined;
}

async function loadAndApply(parts: WatchParts, before: Used | undefined): Promise<Run> {
  // A file, a store or a person that never answers is left behind by close().
  const loaded = await untilAborted(loadWatched(parts), parts.signal);
  const { config, keptServers } = keepSpecs(loaded.config, before?.config);
  const keptFiles = parts.good.kept;
  const state = { config, keptFiles, keptServers, undecided: loaded.undecided };
  const applied = before?.applied ?? [];
  const isNew = before === undefined || !sameJson(config.servers, applied);
  const isOld = before !== undefined && !isNew && sameJson(factsOf(before), factsOf(state));
  if (parts.signal.aborted || isOld) return { next: { ...state, applied } };
  try {
    const change = isNew ? await apply(config, applied, parts) : noChange;
    const report = { ...pickChange(change), config, keptFiles, keptServers };
    return { next: { ...state, applied: config.servers }, report };
  } catch (error) {
    if (before === undefined) throw error;
    return { next: { ...state, applied }, report: { ...noChange, config, keptFiles, keptServers, error } };
  }
}

const noChange: ConfigChange = { added: [], updated: [], removed: [], failed: [] };

// What was not watched while it was read may have changed meanwhile.
async function loadWatched({ options, signal, folders, good }: WatchParts): Promise<LoadAll> {
  folders.renew();
  const mode: LoadMode = { ask: false, accept: (path, result) => good.accept(path, result) };
  for (let look = 1; ; look++) {
    const loaded = await loadAll({ ...options, signal }, mode);
    if (signal.aborted) return loaded;
    const isWatching = loaded.config.settings.watch?.enabled !== false;
    const isNew = folders.arm(isWatching ? watchPointsOf(loaded.paths) : nothing);
    if (!isNew || look === mostLooks) return loaded;
  }
}

async function apply(
  config: LoadedConfig,
  before: LoadedConfig["servers"],
  { options: { target }, signal }: WatchParts,
): Promise<ConfigChange> {
  const { servers } = config;
  if (target === undefined) return diffSpecs(before, servers);
  return untilAborted(target.applyServers(servers, { signal, timeoutMs: longestWaitMs }, config), signal);
}

function pickChange({ added, updated, removed, failed }: ConfigChange): ConfigChange {
  return { added, updated, removed, failed };
}

function factsOf({ config, keptFiles, keptServers }: Pick<Used, "config" | "keptFiles" | "keptServers">): unknown {
  const { settings, problems, questions, sources } = config;
  const extras = sources.map((source) => [source.serverId, source.file, source.extras]);
  return { settings, problems, questions, extras, keptFiles, keptServers };
}

/** What is different between two sets of specs. */
function diffSpecs(before: readonly ServerSpec[], after: readonly ServerSpec[]): ConfigChange {
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
function keepSpecs(
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

/** Does one thing again and again, once at a time. */
export interface WorkQueue {
  /**
   * Has it done once more, from its beginning. Settles as that does; requests that wait for the
   * same time share it.
   */
  request(): Promise<void>;
  /** When nothing is under way and nothing waits. Never rejects. */
  settled(): Promise<void>;
}

/** A queue of this work. */
export function createWorkQueue(work: () => Promise<void>): WorkQueue {
  let current: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const start = (): Promise<void> => {
    const run = (async () => {
      try {
        await work();
      } finally {
        current = undefined;
      }
    })();
    current = run;
    return run;
  };
  const startNext = async (before: Promise<void>): Promise<void> => {
    await before.catch(() => undefined);
    next = undefined;
    await start();
  };
  return {
    request() {
      if (current === undefined && next === undefined) return start();
      next ??= startNext(current ?? Promise.resolve());
      return next;
    },
    async settled() {
      for (let pending = next ?? current; pending !== undefined; pending = next ?? current) {
        await pending.catch(() => undefined);
      }
    },
  };
}

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
