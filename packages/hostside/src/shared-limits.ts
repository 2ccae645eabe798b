// For products: limits that hold for all replicas. Needs `rate-limiter-flexible`.
export { createSharedLimitStore } from "@hostside/policy/shared-limits";
export type { SharedLimitOptions, SharedLimitStore } from "@hostside/policy/shared-limits";
