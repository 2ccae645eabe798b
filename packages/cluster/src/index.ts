// For products with many users: one provider for each that may not share one.
export { createSharedProviders } from "./pool/create-shared-providers.ts";
export type {
  ConversationKey,
  ConversationLease,
  LeaseOptions,
  SharedEvent,
  SharedOwner,
  SharedProviders,
  SharedProvidersOptions,
  SharedStatus,
} from "./pool/shared-providers.ts";

// For what is kept over a restart, and by replicas that share a store.
export { createKeptCatalog, type KeptCatalog, type KeptCatalogOptions } from "./catalog.ts";
