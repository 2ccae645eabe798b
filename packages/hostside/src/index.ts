// For products: everything composed, in one call.
export { createHost } from "./create-host.ts";
export type { ConfigOptions, PoolOptions, HostOptions, HostState } from "./host-options.ts";
export type { HostTelemetry } from "./host-telemetry.ts";
export type { Conversation, ConversationOptions, Host } from "./host.ts";
export type { HostServerEntry } from "./servers/server-entries.ts";
export type { HostServers } from "./servers/host-servers.ts";
export { createFileStore, type FileStoreOptions } from "./state/create-file-store.ts";
export { userState } from "./state/user-state.ts";
export { createSharedServers, type SharedServersOptions } from "./shared-servers/create-shared-servers.ts";
export type {
  KeptServers,
  SharedServers,
  WriteServersOptions,
  WrittenServers,
} from "./shared-servers/shared-servers.ts";
