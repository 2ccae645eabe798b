// For products: make a provider, use it, watch it.
export { createProvider } from "./provider.ts";
export type { ProviderOptions } from "./api/provider-options.ts";
export type { ApplyOptions, EndOptions, McpProvider, UserOperationOptions } from "./api/mcp-provider.ts";
export { fingerprintServers } from "./servers/read-specs.ts";
export { fingerprintReach } from "./catalog/fingerprint-reach.ts";
export type { SavedCatalog, SavedListing } from "./saved/read-saved-catalog.ts";
export type { ServerState, ServerStatus } from "./api/mcp-provider.ts";
export { createNameBook, type NameBook } from "./catalog/name-book.ts";
