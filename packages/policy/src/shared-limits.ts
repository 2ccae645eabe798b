// The entry `@hostside/policy/shared-limits`: limits that hold for all replicas of a host. Needs
// the optional peer `rate-limiter-flexible`.
export { createSharedLimitStore, type SharedLimitStore } from "./shared-limits/create-shared-limit-store.ts";
export type { CountingFailure, SharedLimitOptions } from "./shared-limits/shared-limit-options.ts";
export type { PostgresLimitPool, PostgresQuery, LimitPostgresResult } from "./shared-limits/database-time.ts";
export type { RedisLimitClient } from "./shared-limits/count-in-redis.ts";
export type {
  LimitLease,
  LimitRefusal,
  LimitRule,
  LimitStore,
  LimitStoreOutage,
  LimitWant,
  Spending,
  Spent,
} from "./limits/limit-store.ts";
