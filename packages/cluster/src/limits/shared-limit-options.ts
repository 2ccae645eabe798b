import type { Clock } from "@hostside/core";
import { assertKnownOptions, systemClock, type Fields, readWholeNumber } from "@hostside/core/implement";
import type { PostgresLimitPool } from "./database-time.ts";
import { countInPostgres } from "./count-in-postgres.ts";
import { countInRedis, type RedisLimitClient } from "./count-in-redis.ts";
import type { CountingEngine } from "./counting-engine.ts";

/**
 * What becomes of calls while nobody can count them: `"closed"`: they are refused, `"open"`: they
 * run, `"local"`: each process counts by itself.
 */
export type CountingFailure = "closed" | "open" | "local";

/** Options of {@linkcode createSharedLimitStore}. One of `redis` and `postgres` is given. */
export interface SharedLimitOptions {
  /**
   * A client of `redis`, `@redis/client` or `ioredis`, connected by whoever made it, who closes it
   * as well.
   */
  readonly redis?: RedisLimitClient | undefined;
  /** A `Pool` of `pg`. */
  readonly postgres?: PostgresLimitPool | undefined;
  /**
   * What all keys begin with; at most 64 characters. Who has the same one shares the limits.
   * Default `"hostside:limits"`.
   */
  readonly prefix?: string | undefined;
  /** The table in Postgres. Default `"hostside_limits"`. */
  readonly table?: string | undefined;
  /**
   * Whether the table is made where there is none. Default `true`; with `false` it has to be there.
   */
  readonly createTable?: boolean | undefined;
  /** How long a call waits for an answer of the engine, in milliseconds. Default 1000. */
  readonly timeoutMs?: number | undefined;
  /** Default `"closed"`. */
  readonly onFailure?: CountingFailure | undefined;
  /**
   * In Redis, how long a budget without `perMs` is remembered after its last use, in milliseconds.
   * Default 30 days. In Postgres it is never forgotten.
   */
  readonly forgetAfterMs?: number | undefined;
  /** How many calls may wait together in this process. Default 1000. */
  readonly maxWaiting?: number | undefined;
  /** Default: the real time. What is counted goes by the clock of the engine. */
  readonly clock?: Clock | undefined;
}

/** Options that were read. */
export interface ReadSharedLimitOptions {
  readonly engine: CountingEngine;
  readonly timeoutMs: number;
  readonly onFailure: CountingFailure;
  readonly maxWaiting: number;
  readonly clock: Clock;
}

const optionFields: Fields<SharedLimitOptions> = {
  redis: true,
  postgres: true,
  prefix: true,
  table: true,
  createTable: true,
  timeoutMs: true,
  onFailure: true,
  forgetAfterMs: true,
  maxWaiting: true,
  clock: true,
};
const failures: readonly CountingFailure[] = ["closed", "open", "local"];
const longestPrefix = 64;

/** Reads options. Throws a `TypeError` that names the one that makes no sense. */
export function readSharedLimitOptions(options: SharedLimitOptions): ReadSharedLimitOptions {
  assertKnownOptions("createSharedLimitStore()", options, optionFields);
  const { clock = systemClock, onFailure = "closed" } = options;
  if (!failures.includes(onFailure)) throw new TypeError(`onFailure must be one of ${failures.join(", ")}`);
  const timeoutMs = readWholeNumber(options.timeoutMs, "timeoutMs", { least: 1, most: 60_000, otherwise: 1000 });
  const maxWaiting = readWholeNumber(options.maxWaiting, "maxWaiting", { least: 0, otherwise: 1000 });
  return { engine: openEngine(options, { clock, timeoutMs }), timeoutMs, onFailure, maxWaiting, clock };
}

function openEngine(
  {
    redis,
    postgres,
    prefix = "hostside:limits",
    table = "hostside_limits",
    createTable = true,
    ...rest
  }: SharedLimitOptions,
  parts: { readonly clock: Clock; readonly timeoutMs: number },
): CountingEngine {
  if ((redis === undefined) === (postgres === undefined)) {
    throw new TypeError("createSharedLimitStore() takes one of redis and postgres");
  }
  if (typeof prefix !== "string" || prefix === "" || prefix.length > longestPrefix) {
    throw new TypeError(`prefix must be a text of 1 to ${longestPrefix} characters`);
  }
  // It is part of queries.
  if (typeof table !== "string" || !/^[a-z_]\w{0,62}$/i.test(table)) {
    throw new TypeError("table must be a name of letters, digits and underscores, at most 63");
  }
  if (typeof createTable !== "boolean") throw new TypeError("createTable must be true or false");
  const month = 30 * 86_400_000;
  const forgetAfterMs = readWholeNumber(rest.forgetAfterMs, "forgetAfterMs", { least: 1, otherwise: month });
  if (redis !== undefined) {
    const calls: object = Object(redis);
    if (typeof Reflect.get(calls, "call") !== "function" && typeof Reflect.get(calls, "eval") !== "function")
      throw new TypeError("redis must be a client of redis or ioredis: it has neither eval() nor call()");
    return countInRedis({ client: redis, prefix, forgetAfterMs });
  }
  if (typeof postgres?.query !== "function") throw new TypeError("postgres must be a Pool of pg: it has no query()");
  return countInPostgres({ pool: postgres, prefix, table, createTable, ...parts });
}
