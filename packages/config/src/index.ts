export { readConfig, type ConfigResult, type ReadConfigOptions } from "./dialects/read-config.ts";
export { expandConfig, type ExpandedServer } from "./expand/expand-config.ts";
export type { ExpandContext, Folders, Source } from "./expand/expand-context.ts";
export { expandEnv, type Env } from "./expand/expand-env.ts";
export { detectDialect } from "./dialects/detect-dialect.ts";
export { dialectNames, type DialectName } from "./drafts/configured-server.ts";
export type { ConfiguredServer, ServerDraft, ServerExtras } from "./drafts/configured-server.ts";
export type { ConfigImport, ConfigInput, HostSettings, ServeSettings } from "./drafts/host-settings.ts";
export { parseConfig } from "./parse/parse-config.ts";
export type { ConfigFormat, ParsedConfig, Position } from "./parse/parsed-config.ts";
export { editConfig, type ConfigEdit } from "./edit/edit-config.ts";
export { formatPath, type ConfigData, type ConfigPath } from "./parse/config-data.ts";
export {
  configProblemCodes,
  formatProblem,
  type ConfigProblem,
  type ConfigProblemCode,
} from "./parse/config-problem.ts";
export { mergeLayers } from "./layers/merge-layers.ts";
export { normalizeId } from "./read/server-reader.ts";
export type { ConfigLayer } from "./layers/config-layer.ts";
export { configScopes, type ConfigScope, type OffReason } from "./drafts/configured-server.ts";
export { createTrust, type TrustOptions } from "./trust/create-trust.ts";
export type { AskTrust, Trust, TrustAnswer, TrustEntry, TrustQuestion } from "./trust/trust.ts";
export { findConfigs, findProjectFolder, type ConfigLocation, type FindOptions } from "./find/find-configs.ts";
