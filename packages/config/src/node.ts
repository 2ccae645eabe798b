// For products on Node: what reads files.
export { findConfigFiles } from "./node/find-config-files.ts";
export { loadConfig, type LoadedConfig, type ServerSource } from "./node/load-config.ts";
export type { LoadConfigOptions } from "./node/load-options.ts";
export { watchConfig } from "./node/watch-config.ts";
export type { ConfigChange, ConfigReport, ConfigTarget, ConfigWatch, WatchConfigOptions } from "./node/config-watch.ts";
export { readConfigFile } from "./node/read-config-file.ts";
export { readText } from "./node/read-config-file.ts";
