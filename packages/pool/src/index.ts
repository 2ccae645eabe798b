// For products: one provider for each conversation, tenant or user.
export { createProviderPool } from "./create-provider-pool.ts";
export type { ProviderPoolOptions, ProviderWish } from "./pool-options.ts";
export type { EndOfProvider, Lease, PooledStatus, PoolEvent, ProviderPool, WishOptions } from "./provider-pool.ts";
