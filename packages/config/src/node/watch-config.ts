/// <reference lib="esnext.disposable" preserve="true" />
import { stat } from "node:fs/promises";
import type { Cancel, Event, ServerSpec, HostsideError } from "@hostside/core";
import {
  clock,
  assertKnownOptions,
  createEvent,
  sameJson,
  untilAborted,
  type Fields,
  compareText,
} from "@hostside/core/implement";
import type { TrustEntry, TrustQuestion } from "../trust/trust.ts";
import { loadAll, type LoadAll, type LoadedConfig } from "./load-config.ts";
import type { Accept } from "./read-layers.ts";
import { loadFields, type LoadConfigOptions } from "./load-options.ts";
import type { ConfigResult } from "../dialects/read-parsed.ts";
import { isNothing } from "../layers/merge-layers.ts";
import type { ConfigProblem } from "../parse/config-problem.ts";

const optionFields: Fields<WatchConfigOptions> = { ...loadFields, target: true, quietMs: true, signal: true };
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
class Watch implements ConfigWatch {
  readonly #options: WatchConfigOptions;
  readonly #end = new AbortController();
  readonly #reports = createEvent<ConfigReport>();
  readonly #good = new Map<string, ConfigResult>();
  readonly #keptFiles = new Set<string>();
  /** The questions of trust that are open. */
  readonly #asked = new Map<string, AbortController>();
  #used: Used | undefined;
  #paths: readonly string[] = [];
  /** The stamp from before the last reading, and that of the last look. */
  #stampRead = "";
  #stampSeen = "";
  #changedLooks = 0;
  #cancelTimer: Cancel | undefined;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  readonly onReport = this.#reports.on;

  constructor(options: WatchConfigOptions) {
    this.#options = options;
    options.signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  get config(): LoadAll["config"] {
    if (this.#used === undefined) throw new TypeError("the first load has ended without a configuration");
    return this.#used.config;
  }

  readonly #onAbort = (): void => void this.close();

  readonly close = async (): Promise<void> => {
    const { signal } = this.#options;
    this.#end.abort(signal?.reason);
    signal?.removeEventListener("abort", this.#onAbort);
    this.#cancelTimer?.();
    for (const asking of this.#asked.values()) asking.abort();
    this.#reports.close();
    await Promise.allSettled([this.#running, this.#next]);
  };

  readonly [Symbol.asyncDispose] = this.close;

  async start(): Promise<void> {
    try {
      this.#options.signal?.throwIfAborted();
      await this.reload();
      this.#end.signal.throwIfAborted();
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /** Runs once, or once more after the run that is under way: those who ask meanwhile share it. */
  readonly reload = (): Promise<void> => {
    const start = (): Promise<void> => {
      this.#next = undefined;
      this.#running = this.#run().finally(() => (this.#running = undefined));
      return this.#running;
    };
    if (this.#running === undefined && this.#next === undefined) return start();
    return (this.#next ??= Promise.resolve(this.#running).then(start, start));
  };

  /** Rejects for the first run alone; what fails later is in the report. */
  async #run(): Promise<void> {
    const { signal } = this.#end;
    const before = this.#used;
    if (signal.aborted) return;
    try {
      // A file, a store or a target that never answers is left behind by close().
      const report = await untilAborted(this.#loadAndApply(before), signal);
      if (report !== undefined && before !== undefined) this.#reports.emit(report);
    } catch (error) {
      if (before === undefined) throw error;
      // A part that the host gave has failed: the trust that it asks.
      if (!signal.aborted) this.#reports.emit({ ...reportOf(before, noChange), error });
    }
    if (signal.aborted) return;
    this.#scheduleLook();
    this.#askAboutTrust();
  }

  async #loadAndApply(before: Used | undefined): Promise<ConfigReport | undefined> {
    const loaded = await this.#load();
    const { config, keptServers } = keepSpecs(loaded.config, before?.config);
    const { undecided } = loaded;
    const keptFiles = [...this.#keptFiles].toSorted();
    const used: Used = { config, keptServers, keptFiles, undecided, applied: before?.applied };
    const { signal } = this.#end;
    if (signal.aborted) return undefined;
    if (sameJson(config.servers, before?.applied)) {
      this.#used = used;
      return before !== undefined && sameJson(factsOf(before), factsOf(used)) ? undefined : reportOf(used, noChange);
    }
    try {
      const { target } = this.#options;
      const change = await target.applyServers(config.servers, { signal, timeoutMs: longestWaitMs }, config);
      this.#used = { ...used, applied: config.servers };
      return reportOf(used, change);
    } catch (error) {
      if (before === undefined) throw error;
      this.#used = used;
      return { ...reportOf(used, noChange), error };
    }
  }

  /**
   * Returns what is used of a file: what it says now, or, where that is worse, what it said when it
   * was last right, with the problems of now.
   */
  readonly #accept: Accept = (path, result) => {
    const before = this.#good.get(path);
    if (before !== undefined && isWorse(result, before)) {
      this.#keptFiles.add(path);
      return { ...before, problems: result.problems };
    }
    this.#keptFiles.delete(path);
    this.#good.set(path, result);
    return result;
  };

  // What changes while it is read is seen by the stamp from before.
  async #load(): Promise<LoadAll> {
    const options = { ...this.#options, signal: this.#end.signal };
    for (let reading = 1; ; reading++) {
      this.#stampRead = await stampOf(this.#paths);
      const loaded = await loadAll(options, this.#accept);
      const known = this.#paths.length;
      this.#paths = [...new Set([...this.#paths, ...loaded.paths])];
      const isWatched = loaded.config.settings.watch?.enabled !== false;
      if (!isWatched || this.#paths.length === known || reading === mostReadings) return loaded;
    }
  }

  #scheduleLook(): void {
    this.#cancelTimer?.();
    const { watch } = this.#used?.config.settings ?? {};
    if (this.#end.signal.aborted || watch?.enabled === false) return;
    const quietMs = this.#options.quietMs ?? watch?.quietMs ?? defaultQuietMs;
    this.#cancelTimer = clock.schedule(Math.max(quietMs, leastQuietMs), () => void this.#look());
  }

  async #look(): Promise<void> {
    const stamp = await stampOf(this.#paths);
    this.#changedLooks = stamp === this.#stampSeen ? 0 : this.#changedLooks + 1;
    this.#stampSeen = stamp;
    const isQuiet = this.#changedLooks === 0 || this.#changedLooks >= mostChangedLooks;
    if (stamp !== this.#stampRead && isQuiet) await this.reload();
    else this.#scheduleLook();
  }

  #askAboutTrust(): void {
    const { trust } = this.#options;
    if (trust?.canAsk !== true) return;
    const asked = this.#asked;
    const open = new Map(this.#used?.undecided.map(({ entry, question }) => [keyOf(question), entry]));
    for (const [key, asking] of asked) {
      if (open.has(key)) continue;
      asking.abort();
      asked.delete(key);
    }
    const ask = async (entry: TrustEntry, signal: AbortSignal): Promise<void> => {
      const verdict = await trust.decide(entry, { ask: true, signal });
      if (!signal.aborted && (verdict.trusted || verdict.why === "refused")) await this.reload();
    };
    for (const [key, entry] of open) {
      if (asked.has(key)) continue;
      const asking = new AbortController();
      // Without an answer it stays in the list: nobody wants to be asked the same at every edit.
      asked.set(key, asking);
      void ask(entry, asking.signal);
    }
  }
}

/**
 * Loads configurations, applies them, and does so again whenever a file that may have to do with it
 * changes, comes or goes. Edits are applied one after the other, and of several only the last.
 * Nobody is waited for who is asked about trust: their server starts when they have answered.
 *
 * Resolves when the first load is applied. Rejects with what `applyServers` rejects with then, with
 * the reason of `signal` when it aborts before, and with a `TypeError` for an option that is
 * unknown.
 *
 * @example
 * await using watch = await watchConfig({ target: provider });
 * watch.onReport(({ added, removed }) => console.log(added, removed));
 */
export async function watchConfig(options: WatchConfigOptions): Promise<ConfigWatch> {
  assertKnownOptions("watchConfig()", options, optionFields);
  const watch = new Watch(options);
  await watch.start();
  return watch;
}

/** A text that changes with each of these files, also one that is made; links are followed. */
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

/** Runs the servers of a configuration. A provider of `@hostside/provider` is one. */
export interface ConfigTarget {
  /**
   * Makes the set of servers this one. `timeoutMs`: how long servers are to be waited for; the next
   * edit is not applied before this settles. `config`: what they are in, for a target that wants to
   * know more of them.
   */
  applyServers(
    specs: readonly ServerSpec[],
    options: { readonly signal: AbortSignal; readonly timeoutMs: number },
    config: LoadedConfig,
  ): Promise<ConfigChange>;
}

/** The changes to a set of servers; each list has ids. */
export interface ConfigChange {
  readonly added: readonly string[];
  readonly updated: readonly string[];
  readonly removed: readonly string[];
  /** Could not be started; they stay in the set. */
  readonly failed: readonly { readonly serverId: string; readonly error: HostsideError }[];
}

/** The result of an edit of the files. */
export interface ConfigReport extends ConfigChange {
  readonly config: LoadedConfig;
  /**
   * Files with a fault: what they said before is still used. `config.problems` says what is wrong,
   * with its place.
   */
  readonly keptFiles: readonly string[];
  /** Servers whose entry can be read, and not used: what they were before is still used. */
  readonly keptServers: readonly string[];
  /**
   * The reason with which `applyServers` rejected; then the servers are what they were, and the
   * next edit tries again.
   */
  readonly error?: unknown;
}

/** Options of {@linkcode watchConfig}. */
export interface WatchConfigOptions extends Omit<LoadConfigOptions, "signal"> {
  readonly target: ConfigTarget;
  /**
   * The time between two looks at the files, in milliseconds. They are read when two looks in a row
   * see the same change. Default: as the settings say, else 500.
   */
  readonly quietMs?: number | undefined;
  /** Ends the watch as `close()` does, also before it is there. */
  readonly signal?: AbortSignal | undefined;
}

/** Configurations while their host runs. */
export interface ConfigWatch extends AsyncDisposable {
  /** The configuration in use. */
  readonly config: LoadedConfig;
  /**
   * Fires once for each edit that changed something, or that could not be used. Not for the first
   * load.
   */
  readonly onReport: Event<ConfigReport>;
  /**
   * Reads everything at once, whether anything seems to have changed or not; for a decision that
   * was made elsewhere. Never rejects.
   */
  reload(): Promise<void>;
  /**
   * Ends it: nothing is watched, read, asked or applied any more. Idempotent. The target keeps its
   * servers.
   */
  close(): Promise<void>;
}

// An edit is not good when it has a fault that costs what was there: the file as a whole, a
// setting, or one of its servers.
function isWorse(result: ConfigResult, before: ConfigResult): boolean {
  if (isNothing(before)) return false;
  const keyOfProblem = ({ code, path }: ConfigProblem): string => `${code} ${path}`;
  const known = new Set(before.problems.filter(({ severity }) => severity === "error").map(keyOfProblem));
  const has = new Set(result.servers.map(({ id }) => id));
  return result.problems.some((problem) => {
    if (problem.code === "empty_file") return true;
    if (problem.severity !== "error" || known.has(keyOfProblem(problem))) return false;
    const { serverId } = problem;
    return serverId === undefined || (!has.has(serverId) && before.servers.some(({ id }) => id === serverId));
  });
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
