// A state that replicas share, over a Redis that the product is connected to.
export { createRedisState } from "./redis/create-redis-state.ts";
export type { RedisClient } from "./redis/connect-redis.ts";
export type { SharedState, SharedStateOptions } from "./state/shared-state.ts";
