// For products: a state that replicas share, over Redis.
export { createRedisState } from "@hostside/cluster/redis";
export type { RedisClient, SharedState } from "@hostside/cluster/redis";
