/// <reference lib="esnext.disposable" preserve="true" />
import type { Event, ServerSpec, HostsideError } from "@hostside/core";
import type { LoadedConfig } from "./load-config.ts";
import type { LoadConfigOptions } from "./load-options.ts";

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
