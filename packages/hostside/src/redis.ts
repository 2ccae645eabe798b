// For products: a state that replicas share, over Redis.
export { createRedisState } from "@hostside/cluster/redis";
export type { RedisClient, RedisStateOptions, SharedState } from "@hostside/cluster/redis";
