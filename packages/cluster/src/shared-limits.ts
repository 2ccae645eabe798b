// The entry `@hostside/cluster/shared-limits`: limits that hold for all replicas of a host. Needs
// the optional peer `rate-limiter-flexible`.
export { createSharedLimitStore, type SharedLimitStore } from "./limits/create-shared-limit-store.ts";
export type { CountingFailure, SharedLimitOptions } from "./limits/shared-limit-options.ts";
export type { PostgresLimitPool, PostgresQuery, LimitPostgresResult } from "./limits/database-time.ts";
export type { RedisLimitClient } from "./limits/count-in-redis.ts";
