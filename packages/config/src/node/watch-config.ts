import { stat } from "node:fs/promises";
import type { Cancel } from "@hostside/core";
import {
  clock,
  assertKnownOptions,
  createEvent,
  sameJson,
  untilAborted,
  type EventSource,
  type Fields,
} from "@hostside/core/implement";
import type { TrustEntry, TrustQuestion } from "../trust/trust.ts";
import type { ConfigChange, ConfigReport, ConfigWatch, WatchConfigOptions } from "./config-watch.ts";
import { createLastGoodConfigs, keepSpecs, type LastGoodConfigs } from "./last-good.ts";
import { loadAll, type LoadAll, type LoadMode } from "./load-config.ts";
import { loadFields } from "./load-options.ts";

const optionFields: Fields<WatchConfigOptions> = {
  ...loadFields,
  target: true,
  quietMs: true,
  signal: true,
};
const defaultQuietMs = 500;
const leastQuietMs = 10;
// A file that never rests is read all the same.
const mostChangedLooks = 10;
const mostReadings = 5;
// A server that hangs must not keep an edit waiting that mends it.
const longestWaitMs = 10_000;
const noChange: ConfigChange = { added: [], updated: [], removed: [], failed: [] };

/** The state after a run. */
interface Used extends Pick<LoadAll, "config" | "undecided"> {
  readonly keptFiles: readonly string[];
  readonly keptServers: readonly string[];
  /** The servers of the target; others than in the configuration where it refused those. */
  readonly applied: LoadAll["config"]["servers"] | undefined;
}

/** A watch while it runs. */
interface State {
  readonly options: WatchConfigOptions;
  readonly end: AbortController;
  readonly reports: EventSource<ConfigReport>;
  readonly good: LastGoodConfigs;
  /** The questions of trust that are open. */
  readonly asked: Map<string, AbortController>;
  used: Used | undefined;
  paths: readonly string[];
  /** The stamp from before the last reading, and that of the last look. */
  stampRead: string;
  stampSeen: string;
  changedLooks: number;
  cancelTimer: Cancel | undefined;
  running: Promise<void> | undefined;
  next: Promise<void> | undefined;
}

/**
 * Loads configurations, applies them, and does so again whenever a file that may have to do with it
 * changes, comes or goes. Edits are applied one after the other, and of several only the last.
 * Nobody is waited for who is asked about trust: their server starts when they have answered.
 *
 * Resolves when the first load is applied. Rejects with what `applyServers` rejects with then, with
 * the reason of `signal` when it aborts before, and with a `TypeError` for an option that is
 * unknown.
 */
export async function watchConfig(options: WatchConfigOptions): Promise<ConfigWatch> {
  assertKnownOptions("watchConfig()", options, optionFields);
  const { signal } = options;
  const state: State = {
    options,
    end: new AbortController(),
    reports: createEvent(),
    good: createLastGoodConfigs(),
    asked: new Map(),
    used: undefined,
    paths: [],
    stampRead: "",
    stampSeen: "",
    changedLooks: 0,
    cancelTimer: undefined,
    running: undefined,
    next: undefined,
  };
  const onAbort = (): void => void close();
  const close = async (): Promise<void> => {
    state.end.abort(signal?.reason);
    signal?.removeEventListener("abort", onAbort);
    state.cancelTimer?.();
    for (const asking of state.asked.values()) asking.abort();
    state.reports.close();
    await Promise.allSettled([state.running, state.next]);
  };
  signal?.addEventListener("abort", onAbort, { once: true });
  try {
    signal?.throwIfAborted();
    await reload(state);
    state.end.signal.throwIfAborted();
  } catch (error) {
    await close();
    throw error;
  }
  const first = state.used;
  if (first === undefined) throw new TypeError("the first load has ended without a configuration");
  return {
    get config() {
      return (state.used ?? first).config;
    },
    onReport: state.reports.on,
    reload: () => reload(state),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Runs once, or once more after the run that is under way: those who ask meanwhile share it. */
function reload(state: State): Promise<void> {
  const start = (): Promise<void> => {
    state.next = undefined;
    return (state.running = run(state).finally(() => {
      state.running = undefined;
    }));
  };
  if (state.running === undefined && state.next === undefined) return start();
  return (state.next ??= Promise.resolve(state.running).then(start, start));
}

/** Rejects for the first run alone; what fails later is in the report. */
async function run(state: State): Promise<void> {
  const { end, reports, used: before } = state;
  if (end.signal.aborted) return;
  try {
    // A file, a store or a target that never answers is left behind by close().
    const report = await untilAborted(loadAndApply(state, before), end.signal);
    if (report !== undefined && before !== undefined) reports.emit(report);
  } catch (error) {
    if (before === undefined) throw error;
    // A part that the host gave has failed: the trust that it asks.
    if (!end.signal.aborted) reports.emit({ ...reportOf(before, noChange), error });
  }
  if (end.signal.aborted) return;
  scheduleLook(state);
  askAboutTrust(state);
}

async function loadAndApply(state: State, before: Used | undefined): Promise<ConfigReport | undefined> {
  const loaded = await load(state);
  const { config, keptServers } = keepSpecs(loaded.config, before?.config);
  const { undecided } = loaded;
  const used: Used = { config, keptServers, keptFiles: state.good.kept, undecided, applied: before?.applied };
  const { signal } = state.end;
  if (signal.aborted) return undefined;
  if (sameJson(config.servers, before?.applied)) {
    state.used = used;
    return before !== undefined && sameJson(factsOf(before), factsOf(used)) ? undefined : reportOf(used, noChange);
  }
  try {
    const { target } = state.options;
    const change = await target.applyServers(config.servers, { signal, timeoutMs: longestWaitMs }, config);
    state.used = { ...used, applied: config.servers };
    return reportOf(used, change);
  } catch (error) {
    if (before === undefined) throw error;
    state.used = used;
    return { ...reportOf(used, noChange), error };
  }
}

// What changes while it is read is seen by the stamp from before.
async function load(state: State): Promise<LoadAll> {
  const { options, end, good } = state;
  const accept: LoadMode["accept"] = (path, result) => good.accept(path, result);
  for (let reading = 1; ; reading++) {
    state.stampRead = await stampOf(state.paths);
    const loaded = await loadAll({ ...options, signal: end.signal }, { ask: false, accept });
    const known = state.paths.length;
    state.paths = [...new Set([...state.paths, ...loaded.paths])];
    const isWatched = loaded.config.settings.watch?.enabled !== false;
    if (!isWatched || state.paths.length === known || reading === mostReadings) return loaded;
  }
}

function scheduleLook(state: State): void {
  state.cancelTimer?.();
  const { watch } = state.used?.config.settings ?? {};
  if (state.end.signal.aborted || watch?.enabled === false) return;
  const quietMs = state.options.quietMs ?? watch?.quietMs ?? defaultQuietMs;
  state.cancelTimer = clock.schedule(Math.max(quietMs, leastQuietMs), () => void look(state));
}

async function look(state: State): Promise<void> {
  const stamp = await stampOf(state.paths);
  state.changedLooks = stamp === state.stampSeen ? 0 : state.changedLooks + 1;
  state.stampSeen = stamp;
  const isQuiet = state.changedLooks === 0 || state.changedLooks >= mostChangedLooks;
  if (stamp !== state.stampRead && isQuiet) await reload(state);
  else scheduleLook(state);
}

function askAboutTrust(state: State): void {
  const { options, asked, used } = state;
  const { trust } = options;
  if (trust?.canAsk !== true) return;
  const open = new Map(used?.undecided.map(({ entry, question }) => [keyOf(question), entry]));
  for (const [key, asking] of asked) {
    if (open.has(key)) continue;
    asking.abort();
    asked.delete(key);
  }
  const ask = async (entry: TrustEntry, signal: AbortSignal): Promise<void> => {
    const verdict = await trust.decide(entry, { ask: true, signal });
    if (!signal.aborted && (verdict.trusted || verdict.why === "refused")) await reload(state);
  };
  for (const [key, entry] of open) {
    if (asked.has(key)) continue;
    const asking = new AbortController();
    // Without an answer it stays in the list: nobody wants to be asked the same at every edit.
    asked.set(key, asking);
    void ask(entry, asking.signal);
  }
}

/**
 * What tells whether one of these files was changed, made, replaced or removed; links are followed.
 */
async function stampOf(paths: readonly string[]): Promise<string> {
  const stamps = paths.map(async (path) => {
    try {
      const { ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
      return `${ino} ${size} ${mtimeNs} ${ctimeNs}`;
    } catch {
      // Not there, or not to be seen.
      return "";
    }
  });
  return (await Promise.all(stamps)).join("\n");
}

function reportOf({ config, keptFiles, keptServers }: Used, change: ConfigChange): ConfigReport {
  const { added, updated, removed, failed } = change;
  return { added, updated, removed, failed, config, keptFiles, keptServers };
}

function factsOf({ config, keptFiles, keptServers }: Used): unknown {
  const { settings, problems, questions, sources } = config;
  const extras = sources.map((source) => [source.serverId, source.file, source.extras]);
  return { settings, problems, questions, extras, keptFiles, keptServers };
}

function keyOf({ folder, file, serverId, fingerprint }: TrustQuestion): string {
  return JSON.stringify([folder, file, serverId, fingerprint]);
}
