export { readConfig } from "./dialects/read-config.ts";
export type { ConfigResult } from "./dialects/read-parsed.ts";
export { expandConfig } from "./expand/expand-config.ts";
export { expandEnv } from "./expand/resolve-reference.ts";
export { detectDialect } from "./dialects/detect-dialect.ts";
export { dialectNames } from "./drafts/configured-server.ts";
export type {
  ConfiguredServer,
  DialectName,
  OffReason,
  ServerDraft,
  ServerExtras,
} from "./drafts/configured-server.ts";
export type { ConfigInput, HostSettings, ServeSettings } from "./drafts/configured-server.ts";
export { parseConfig } from "./parse/parse-config.ts";
export type { ParsedConfig } from "./parse/config-problem.ts";
export { editConfig, type ConfigEdit } from "./edit/edit-config.ts";
export type { ConfigData } from "./parse/config-data.ts";
export { formatProblem, type ConfigProblem } from "./parse/config-problem.ts";
export type { ConfigLayer } from "./layers/merge-layers.ts";
export { createTrust } from "./trust/create-trust.ts";
export type { AskTrust, Trust, TrustAnswer, TrustEntry, TrustQuestion } from "./trust/trust.ts";
