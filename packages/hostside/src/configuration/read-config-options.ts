import { readConfig } from "@hostside/config";
import type { ServerSpec } from "@hostside/core";
import type { ConfigOptions, HostOptions } from "../host-options.ts";

/** What is to be loaded. */
export interface WantedConfig {
  /** Absent where nothing is. */
  readonly wanted?: ConfigOptions;
  /** Whether somebody named a file or a server, who then wants to hear that there is none to use. */
  readonly isNamed: boolean;
  /** The servers that came as specs. */
  readonly given: readonly ServerSpec[];
}

/** What `config` and `servers` want loaded. */
export function readConfigOptions({ config, servers = [] }: HostOptions): WantedConfig {
  if (isList(servers)) {
    if (config === undefined) return { isNamed: false, given: servers };
    const wanted = toConfigOptions(config);
    return { wanted, isNamed: (wanted.files ?? "auto") !== "auto", given: servers };
  }
  const options = toConfigOptions(config);
  const result = readConfig({ mcpServers: servers }, { dialect: "mcp-json" });
  const layers = [...(options.layers ?? []), { scope: "command-line", result } as const];
  return { wanted: { ...options, layers }, isNamed: true, given: [] };
}

function toConfigOptions(config: HostOptions["config"]): ConfigOptions {
  if (config === undefined) return { files: [], watch: false };
  if (config === "auto") return { files: "auto" };
  if (typeof config === "string") return { files: [config] };
  return isList(config) ? { files: config } : config;
}

function isList<T>(given: readonly T[] | object): given is readonly T[] {
  return Array.isArray(given);
}
