// For products on Node: what reads files.
export {
  findConfigFiles,
  findConfigs,
  findProjectFolder,
  type ConfigLocation,
  type FindOptions,
} from "./node/find-configs.ts";
export { loadConfig, type LoadedConfig, type ServerSource } from "./node/load-config.ts";
export type { LoadConfigOptions } from "./node/load-options.ts";
export { watchConfig } from "./node/watch-config.ts";
export type { ConfigChange, ConfigReport, ConfigTarget, ConfigWatch } from "./node/watch-config.ts";
export { readConfigFile, readText } from "./node/read-config-file.ts";
// Of the root entry, which loads the parsers of all formats.
export { createTrust } from "./trust/create-trust.ts";
export { dialectNames } from "./drafts/configured-server.ts";
export { formatProblem } from "./parse/config-problem.ts";
