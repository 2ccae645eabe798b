import type { ConfigProblem } from "@hostside/config";
import {
  createTrust,
  formatProblem,
  loadConfig,
  watchConfig,
  type ConfigChange,
  type ConfigReport,
  type ConfigWatch,
  type LoadedConfig,
} from "@hostside/config/node";
import { cleanText, HostsideError, truncateText, type ServerSpec } from "@hostside/core";
import { clock, formatMs, sameJson } from "@hostside/core/implement";
import type { ConfigOptions, HostState } from "../contract/host-options.ts";
import { keepToBound } from "../lifecycle/keep-to-bound.ts";
import type { ServerSources, SourcesInit } from "./server-sources.ts";

/** The parts and settings that following files needs. */
export interface FollowingFiles extends Pick<SourcesInit, "connector" | "shared"> {
  /** Keeps decisions about servers that a project brings, where the product names nobody. */
  readonly state: Pick<HostState, "store" | "lock">;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  readonly servers: ServerSources;
  /** Ends all that is read and watched. */
  readonly end: AbortController;
  /** Applies the servers that there are now. Never rejects. */
  readonly applyNow: () => Promise<ConfigChange | undefined>;
  readonly emit: (report: ConfigReport) => void;
}

/** Files that are read, and watched where that is wanted. */
export interface FollowedFiles {
  /** How long it took, without what took a human. */
  readonly spentMs: number;
  close(): Promise<void>;
}

const longestReadMs = 10_000;

/**
 * Loads the files that are wanted, and watches them. Rejects with `invalid_config` when files were
 * named and no server can be used, or nothing could be read in time, where nobody is asked
 * meanwhile; with `aborted`; nothing of it is left then.
 */
export async function followFiles(wanted: ConfigOptions, following: FollowingFiles): Promise<FollowedFiles> {
  const { shared, signal, servers, end } = following;
  const { watch = true, trust, inputs, files } = wanted;
  // A human is not hurried: the caller has a signal.
  const isAsking = inputs !== undefined || (trust?.canAsk === true && !watch);
  const timeoutMs = Math.max(following.timeoutMs, longestReadMs);
  const bound = { signal, ...(!isAsking && { timeoutMs }) };
  const startedAt = clock.now();
  let watching: Promise<ConfigWatch> | undefined;
  const close = async (): Promise<void> => {
    const opened = await watching?.catch(() => undefined);
    await opened?.close();
  };
  const open = async (): Promise<void> => {
    const load = loadOptions(wanted, following);
    if (!watch) return void servers.take(await loadConfig(load));
    watching = watchFiles(load, following);
    const { config } = await watching;
    if (config !== servers.raw) servers.take(config);
  };
  try {
    await keepToBound(open(), bound, () => slowConfigError(timeoutMs));
    const isNamed = (files ?? "auto") !== "auto" && servers.own.size === 0 && shared === undefined;
    const error = isNamed ? configError(servers.raw) : undefined;
    if (error !== undefined) throw error;
  } catch (error) {
    end.abort();
    await close();
    throw error;
  }
  return { spentMs: isAsking ? 0 : clock.now() - startedAt, close };
}

function loadOptions(wanted: ConfigOptions, following: FollowingFiles) {
  const { watch: _watch, revise: _revise, allow, ...rest } = wanted;
  const { connector, state, servers, end } = following;
  return {
    ...rest,
    trust: rest.trust ?? createTrust({ store: state.store, lock: state.lock }),
    // Nothing is expanded and nobody is asked for what the product's own servers stand in place of.
    allow: (serverId: string): boolean => !servers.own.has(serverId) && allow?.(serverId) !== false,
    check: connector.check && ((spec: ServerSpec) => connector.check?.(spec)),
    signal: end.signal,
  };
}

async function watchFiles(load: ReturnType<typeof loadOptions>, following: FollowingFiles): Promise<ConfigWatch> {
  const { servers, applyNow, emit } = following;
  let applied: readonly ServerSpec[] = [];
  let isFirst = true;
  const watch = await watchConfig({
    ...load,
    target: {
      async applyServers(_specs, options, config) {
        const { specs } = servers.take(config);
        applied = servers.ofFiles();
        if (!isFirst) return servers.apply(options);
        isFirst = false;
        return { added: specs.map(({ id }) => id), updated: [], removed: [], failed: [] };
      },
    },
  });
  // Reports come in order, each when its change is applied.
  let last = Promise.resolve();
  watch.onReport((said) => {
    const { config: used } = said.config === servers.raw ? servers.current : servers.take(said.config);
    // Settings alone may have others start, or have them hear of their callers.
    const change = sameJson(servers.ofFiles(), applied) ? undefined : applyNow();
    applied = servers.ofFiles();
    last = last.then(async () => emit({ ...said, config: used, ...(await change) }));
  });
  return watch;
}

const mostShown = 5;
const longestProblem = 500;

/**
 * Why nothing of a configuration can be used, where that is so: no server is left, and a problem is
 * an error.
 */
function configError({ servers, problems }: LoadedConfig): HostsideError | undefined {
  const errors = problems.filter(({ severity }) => severity === "error");
  if (servers.length > 0 || errors.length === 0) return undefined;
  const shown = errors.slice(0, mostShown).map(problemLine);
  const more = errors.length > mostShown ? [`and ${errors.length - mostShown} more`] : [];
  const field = errors[0]?.path;
  return new HostsideError(`no server of the configuration can be used: ${[...shown, ...more].join("; ")}`, {
    code: "invalid_config",
    details: { operation: "createHost", ...(field !== undefined && field !== "" && { field }) },
  });
}

/** Makes the error for a configuration that takes too long to be read. */
function slowConfigError(timeoutMs: number): HostsideError {
  return new HostsideError(`the configuration could not be read within ${formatMs(timeoutMs)}`, {
    code: "invalid_config",
    details: { operation: "createHost", timeoutMs },
  });
}

function problemLine(problem: ConfigProblem): string {
  return truncateText(cleanText(formatProblem(problem)), longestProblem);
}
