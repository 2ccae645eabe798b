// For products: a state that replicas share, over Redis.
export { createRedisState } from "@hostside/pool/redis";
export type { RedisClient, RedisStateOptions, SharedState } from "@hostside/pool/redis";
