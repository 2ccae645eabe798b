// For products: limits that hold for all replicas. Needs `rate-limiter-flexible`.
export { createSharedLimitStore } from "@hostside/cluster/shared-limits";
export type { SharedLimitOptions, SharedLimitStore } from "@hostside/cluster/shared-limits";
