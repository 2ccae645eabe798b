import { RateLimiterPostgres, RateLimiterRes } from "rate-limiter-flexible";
import type { Clock } from "@hostside/core";
import type { CountingEngine, Full, Taken } from "./counting-engine.ts";
import { limiterNow, withDatabaseTime, type PostgresLimitPool } from "./database-time.ts";

/** How limits are counted in Postgres. */
export interface PostgresCountingInit {
  readonly pool: PostgresLimitPool;
  readonly prefix: string;
  readonly table: string;
  readonly createTable: boolean;
  readonly clock: Clock;
  /** How late a query may run at most. */
  readonly timeoutMs: number;
}

const clearEveryMs = 300_000;
const keptAfterEndMs = 3_600_000;

/**
 * Counts in Postgres, by the limiter's own windows: a budget exactly, and of a rate `burst` within
 * each `burst` steps from the first use on, which may be twice that around the end of a window.
 */
export function countInPostgres(init: PostgresCountingInit): CountingEngine {
  const { clock, timeoutMs } = init;
  const open = createLimiters(init);
  const take = async (of: RateLimiterPostgres, key: string): Promise<Taken | Full> => {
    const sentAt = clock.now();
    const { answer, isTaken } = await consume(of, key);
    // A window that is about to end, or has ended, would be given one that it never had.
    const isOver = (): boolean =>
      answer.msBeforeNext >= 0 && clock.now() - sentAt + 2 * timeoutMs >= answer.msBeforeNext;
    const giveBack = async (): Promise<void> => {
      if (!isOver()) await of.reward(key);
    };
    if (isTaken) return { full: false, giveBack };
    // It counts what it refuses.
    await giveBack();
    return { ...fullBy(answer, of), used: of.points };
  };
  return {
    name: "Postgres",
    // The column is an integer of 32 bits.
    mostUnits: 1e9,
    async takeToken({ burst, stepMs }, key) {
      return take(await open({ limit: burst, perMs: burst * stepMs }), key);
    },
    async takeUnit(budget, key) {
      return take(await open(budget), key);
    },
    async look(budget, key) {
      const of = await open(budget);
      const answer = await of.get(key);
      return answer === null || answer.consumedPoints < of.points ? undefined : fullBy(answer, of);
    },
    async add(budget, key, units) {
      try {
        await (await open(budget)).penalty(key, units);
      } catch (error) {
        // Beyond 32 bits: more than the whole budget was counted before.
        if (!(error instanceof Error && "code" in error && error.code === "22003")) throw error;
      }
    },
  };
}

interface Window {
  readonly limit: number;
  readonly perMs: number | undefined;
}

/**
 * The limiter for a window; makes the table first, and now and then clears it of what has ended.
 */
function createLimiters(init: PostgresCountingInit): (window: Window) => Promise<RateLimiterPostgres> {
  const { pool, prefix, table, createTable, clock } = init;
  const limiters = new Map<string, RateLimiterPostgres>();
  const timed = withDatabaseTime(pool, clock);
  const options = { storeClient: timed.client, storeType: "client", tableName: table, keyPrefix: prefix };
  let made: Promise<void> | undefined;
  let clearAt = Number.NEGATIVE_INFINITY;
  const prepare = async (): Promise<void> => {
    if (!createTable) return;
    await new Promise<void>((resolve, reject) => {
      const settle = (error?: Error): void => (error === undefined ? resolve() : reject(error));
      void new RateLimiterPostgres({ ...options, points: 1, duration: 1, clearExpiredByTimeout: false }, settle);
    });
  };
  const ready = async (): Promise<void> => {
    made ??= prepare();
    try {
      await made;
    } catch (error) {
      made = undefined;
      throw error;
    }
    await timed.synchronize();
  };
  return async ({ limit, perMs = 0 }) => {
    await ready();
    const name = `${limit} ${perMs}`;
    const known = limiters.get(name);
    const points = Math.min(limit, 1e9);
    const duration = Math.ceil(perMs) / 1000;
    const limiter =
      known ??
      new RateLimiterPostgres({ ...options, points, duration, tableCreated: true, clearExpiredByTimeout: false });
    limiters.set(name, limiter);
    if (clock.now() >= clearAt) {
      clearAt = clock.now() + clearEveryMs;
      // Never rejects.
      void (limiter as unknown as Clearing).clearExpired(limiterNow() - keptAfterEndMs);
    }
    return limiter;
  };
}

/** What the limiter has, and its types leave out. */
interface Clearing {
  clearExpired(before: number): Promise<void>;
}

/** The answer of the limiter, which throws it, and no error, when there is nothing left. */
async function consume(
  of: RateLimiterPostgres,
  key: string,
): Promise<{ readonly answer: RateLimiterRes; readonly isTaken: boolean }> {
  try {
    return { answer: await of.consume(key), isTaken: true };
  } catch (error) {
    if (error instanceof RateLimiterRes) return { answer: error, isTaken: false };
    throw error;
  }
}

function fullBy({ consumedPoints, msBeforeNext }: RateLimiterRes, { points, duration }: RateLimiterPostgres): Full {
  const retryAfterMs = duration === 0 ? undefined : Math.max(1, Math.ceil(msBeforeNext));
  return { full: true, used: Math.max(points, consumedPoints), retryAfterMs };
}
