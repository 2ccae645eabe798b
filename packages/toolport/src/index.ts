// For products: everything composed, in one call.
export { createToolport } from "./create-toolport.ts";
export type { ConfigOptions, PoolOptions, ToolportOptions, ToolportState } from "./toolport-options.ts";
export type { ToolportTelemetry } from "./toolport-telemetry.ts";
export type { Conversation, ConversationOptions, Toolport } from "./toolport.ts";
export { createFileStore, type FileStoreOptions } from "./state/create-file-store.ts";
export { userState } from "./state/user-state.ts";
export { createSharedServers, type SharedServersOptions } from "./shared-servers/create-shared-servers.ts";
export type {
  KeptServers,
  SharedServers,
  WriteServersOptions,
  WrittenServers,
} from "./shared-servers/shared-servers.ts";
