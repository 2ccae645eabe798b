// For products: make a provider, use it, watch it.
export { createProvider } from "./provider.ts";
export type { BackoffOptions, DebounceOptions, ProviderOptions } from "./provider-options.ts";
export type {
  ApplyOptions,
  ApplyResult,
  EndOptions,
  McpProvider,
  OperationOptions,
  ResourceUpdate,
  ToolRoute,
  UserOperationOptions,
} from "./mcp-provider.ts";
export { fingerprintServers } from "./servers/fingerprint-servers.ts";
export type { ServerState, ServerStatus } from "./servers/server-status.ts";
export type { CallRecord } from "./call-record.ts";
export type { QuarantinedTool } from "./catalog/catalog.ts";
export type { DescribeTool } from "./catalog/define-tool.ts";
export type { RefreshMode } from "./link/link-policy.ts";
