import type { ConfigOptions, HostOptions } from "../host-options.ts";
import { readServerEntries, type ReadEntry } from "./server-entries.ts";

/** What is to be loaded. */
export interface WantedConfig {
  /** Absent where nothing is. */
  readonly wanted?: ConfigOptions;
  /** Whether a file was named: then it is an error if no server can be used. */
  readonly isNamed: boolean;
  /** The servers of the product's own code. */
  readonly given: readonly ReadEntry[];
}

/** Reads `config` and `servers`. Throws a `TypeError` for a wrong entry. */
export function readConfigOptions({ config, servers = {} }: HostOptions): WantedConfig {
  const given = readServerEntries(servers);
  if (config === undefined) return { isNamed: false, given };
  const wanted = toConfigOptions(config);
  return { wanted, isNamed: (wanted.files ?? "auto") !== "auto", given };
}

function toConfigOptions(config: NonNullable<HostOptions["config"]>): ConfigOptions {
  if (config === "auto") return { files: "auto" };
  if (typeof config === "string") return { files: [config] };
  return isList(config) ? { files: config } : config;
}

function isList<T>(given: readonly T[] | object): given is readonly T[] {
  return Array.isArray(given);
}
