// For products: one provider for each conversation, tenant or user.
export { createFallbackStore, type FallbackStoreOptions } from "./state/create-fallback-store.ts";
export { createProviderPool } from "./create-provider-pool.ts";
export { createKeptCatalog, type KeptCatalog, type KeptCatalogOptions } from "./keep-catalog.ts";
export type { PoolLimits } from "./pool-limits.ts";
export type { ProviderPoolOptions, ProviderRequest } from "./pool-options.ts";
export type {
  CommonStatus,
  EndOfProvider,
  Lease,
  PooledStatus,
  PoolEvent,
  ProviderPool,
  LeaseOptions,
} from "./provider-pool.ts";

// The same, with connections that are shared where they may be.
export { createSharedProviders } from "./create-shared-providers.ts";
export type {
  ConversationKey,
  ConversationLease,
  SharedEvent,
  SharedOwner,
  SharedProviders,
  SharedProvidersOptions,
  SharedStatus,
  SharedTarget,
  SharedProviderRequest,
} from "./shared-providers.ts";

// For replicas that share a store.
