import { RateLimiterRedis, RateLimiterRes } from "rate-limiter-flexible";
import type { CountingEngine, Full, Taken } from "./counting-engine.ts";
import { amountScript, bucketScript, unitScript } from "./redis-scripts.ts";

/**
 * What is called of a client of `redis` 4 and later, of `@redis/client`, of a pool or of a cluster
 * of theirs; or of one of `ioredis`.
 */
export type RedisLimitClient = NodeRedisLimitClient | IoRedisLimitClient;

/** One of `redis` or `@redis/client`. */
export interface NodeRedisLimitClient {
  eval(script: string, options: { readonly keys: string[]; readonly arguments: string[] }): Promise<unknown>;
  readonly isReady?: boolean;
}

/** One of `ioredis`, or a cluster of it. */
export interface IoRedisLimitClient {
  call(command: string, ...rest: string[]): Promise<unknown>;
  /** `ready` when commands leave at once, and `wait` before the first. */
  readonly status?: string;
}

/** How limits are counted in Redis. */
export interface RedisCountingInit {
  readonly client: RedisLimitClient;
  readonly prefix: string;
  readonly forgetAfterMs: number;
}

const scripts = { tokens: bucketScript, units: unitScript, amounts: amountScript };

/**
 * Counts in Redis, each rate and budget by one script and exactly. Needs Redis 5 or later, or
 * Valkey.
 */
export function countInRedis({ client, prefix, forgetAfterMs }: RedisCountingInit): CountingEngine {
  const isThere = createPresence(client);
  const storeClient: NodeRedisLimitClient = {
    async eval(script, options) {
      // One that is away would run it when it is back, for a call that was refused long ago.
      if (!isThere()) throw new Error("the Redis client is not connected");
      if (!isIoRedis(client)) return client.eval(script, options);
      const { keys, arguments: rest } = options;
      return client.call("EVAL", script, String(keys.length), ...keys, ...rest.map(String));
    },
  };
  const limiters = new Map<string, RateLimiterRedis>();
  const limiter = (counts: keyof typeof scripts, points: number, seconds: number): RateLimiterRedis => {
    const name = `${counts} ${points} ${seconds}`;
    const known = limiters.get(name);
    if (known !== undefined) return known;
    const options = { storeClient, useRedisPackage: true, keyPrefix: prefix, customIncrTtlLuaScript: scripts[counts] };
    const made = new RateLimiterRedis({ ...options, points, duration: seconds });
    limiters.set(name, made);
    return made;
  };
  // Above 0, so that the script is what runs.
  const options = { customDuration: Math.max(1, Math.ceil(forgetAfterMs / 1000)) };
  const take = async (of: RateLimiterRedis, key: string): Promise<Taken | Full> => {
    const answer = await consume(of, key, { units: 1, options });
    if (isFull(answer, of)) return fullBy(answer, of);
    const takenAt = answer.msBeforeNext;
    return {
      full: false,
      async giveBack() {
        await of.reward(key, takenAt, options);
      },
    };
  };
  const seconds = (perMs: number | undefined): number => (perMs ?? 0) / 1000;
  return {
    name: "Redis",
    mostUnits: 1e15,
    takeToken: ({ burst, stepMs }, key) => take(limiter("tokens", burst, stepMs / 1000), key),
    takeUnit: ({ limit, perMs }, key) => take(limiter("units", limit, seconds(perMs)), key),
    async look({ limit, perMs }, key) {
      const of = limiter("amounts", limit, seconds(perMs));
      const answer = await consume(of, key, { units: 0, options });
      return isFull(answer, of) ? fullBy(answer, of) : undefined;
    },
    async add({ limit, perMs }, key, units) {
      await limiter("amounts", limit, seconds(perMs)).penalty(key, units, options);
    },
  };
}

/** `ioredis` has an `eval`, too, which takes something else. */
function isIoRedis(client: RedisLimitClient): client is IoRedisLimitClient {
  return "call" in client && typeof client.call === "function";
}

/** Whether commands leave at once, or as soon as it has connected for the first time. */
function createPresence(client: RedisLimitClient): () => boolean {
  if (!isIoRedis(client)) return () => client.isReady !== false;
  let wasReady = false;
  return () => {
    const { status = "ready" } = client;
    wasReady ||= status === "ready";
    return wasReady ? status === "ready" : status !== "end";
  };
}

interface Consumption {
  readonly units: number;
  readonly options: { readonly customDuration: number };
}

/** The answer of the limiter, which throws it, and no error, when there is nothing left. */
async function consume(of: RateLimiterRedis, key: string, { units, options }: Consumption): Promise<RateLimiterRes> {
  try {
    return await of.consume(key, units, options);
  } catch (error) {
    if (error instanceof RateLimiterRes) return error;
    throw error;
  }
}

function isFull({ consumedPoints }: RateLimiterRes, { points }: RateLimiterRedis): boolean {
  return consumedPoints > points;
}

function fullBy({ consumedPoints, msBeforeNext }: RateLimiterRes, { points, duration }: RateLimiterRedis): Full {
  const used = consumedPoints === points + 1 ? points : consumedPoints;
  return { full: true, used, retryAfterMs: duration === 0 ? undefined : Math.max(1, msBeforeNext) };
}
