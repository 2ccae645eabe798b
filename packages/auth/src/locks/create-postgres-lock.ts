import type { Clock, Lock, Random } from "@toolport/core";
import { assertKnownOptions, systemClock, systemRandom, type Fields } from "@toolport/core/implement";
import { hashText } from "../store/hash-text.ts";
import { doStep, storeFailed, type StepLimit } from "../store/store-failed.ts";
import { createPolledLock, type Hold } from "./create-polled-lock.ts";

/** A pool of `pg`, as far as a lock needs it. */
export interface PostgresLockPool {
  connect(): Promise<PostgresLockClient>;
}

/** A client of a {@linkcode PostgresLockPool}. */
export interface PostgresLockClient {
  query(text: string, values: readonly unknown[]): Promise<{ readonly rows: readonly unknown[] }>;
  /** Back to the pool; with `true`, its connection ends. */
  release(destroy?: boolean): void;
  on(event: "error" | "end", listener: (error?: Error) => void): unknown;
  off(event: "error" | "end", listener: (error?: Error) => void): unknown;
}

/** Options of {@linkcode createPostgresLock}. */
export interface PostgresLockOptions {
  /** In front of the name of every lock. Default `"toolport:"`. */
  readonly prefix?: string | undefined;
  /** How long anybody waits for a turn, in milliseconds; then they are refused with `overloaded`. Default 60,000. */
  readonly maxWaitMs?: number | undefined;
  /** How long one request to Postgres may take, in milliseconds. Default 5,000. */
  readonly timeoutMs?: number | undefined;
  /** Default the real time. */
  readonly clock?: Clock | undefined;
  /** For the waits between two tries. Default the runtime's. */
  readonly random?: Random | undefined;
}

const optionFields: Fields<PostgresLockOptions> = {
  prefix: true,
  maxWaitMs: true,
  timeoutMs: true,
  clock: true,
  random: true,
};

/**
 * A lock among all that share a Postgres: advisory locks of a session, which end with it, so that nobody waits for a holder that died. All locks of
 * this process are held by one connection of the pool, which goes back when none is held. A pooler in between that shares sessions among its
 * clients (PgBouncer in transaction mode) cannot be used.
 *
 * Rejects with `store_failed` when Postgres does not answer. Throws a `TypeError` for a pool without `connect()`, and for options that are wrong.
 */
export function createPostgresLock(pool: PostgresLockPool, options: PostgresLockOptions = {}): Lock {
  const owner = "createPostgresLock()";
  assertKnownOptions(owner, options, optionFields);
  if (typeof pool !== "object" || pool === null || typeof pool.connect !== "function") {
    throw new TypeError(`${owner}: the pool must have a method connect()`);
  }
  const { prefix = "toolport:", maxWaitMs = 60_000, timeoutMs = 5000 } = options;
  const { clock = systemClock, random = systemRandom } = options;
  const sessions = createSessions(pool, { clock, timeoutMs });
  const startAttempt = (key: string): ReturnType<Parameters<typeof createPolledLock>[0]["startAttempt"]> => {
    return { take: async (onLost) => take(await sessions.use(), await numbersOf(prefix + key), onLost) };
  };
  return createPolledLock({ clock, random, maxWaitMs, startAttempt });
}

type Numbers = readonly [high: number, low: number];

/** Two numbers of 32 bits, which is what an advisory lock has as a name. */
async function numbersOf(key: string): Promise<Numbers> {
  const view = new DataView((await hashText(key)).buffer);
  return [view.getInt32(0), view.getInt32(4)];
}

async function take(session: Session, numbers: Numbers, onLost: (reason: unknown) => void): Promise<Hold | undefined> {
  try {
    const [row] = await session.ask("SELECT pg_try_advisory_lock($1, $2) AS taken", numbers);
    if (!isTrue(row, "taken")) {
      session.leave();
      return undefined;
    }
  } catch (error) {
    // Whether it was taken is not known, and the end of the session ends it.
    session.end(error);
    session.leave();
    throw error;
  }
  session.listeners.add(onLost);
  return {
    // It is there for as long as the session, however long nobody uses that.
    isSure: () => true,
    async release() {
      session.listeners.delete(onLost);
      try {
        const [row] = await session.ask("SELECT pg_advisory_unlock($1, $2) AS freed", numbers);
        if (!isTrue(row, "freed")) throw storeFailed("Postgres has the lock no more");
      } catch (error) {
        session.end(error);
      }
      session.leave();
    },
  };
}

function isTrue(row: unknown, column: string): boolean {
  return typeof row === "object" && row !== null && Reflect.get(row, column) === true;
}

/** One connection, and those who have locks on it. */
interface Session {
  readonly listeners: Set<(reason: unknown) => void>;
  ask(text: string, values: readonly unknown[]): Promise<readonly unknown[]>;
  /** Ends the connection: whoever has a lock on it has it no more. Idempotent. */
  end(reason: unknown): void;
  /** The last one to leave gives the connection back to the pool. */
  leave(): void;
}

interface Sessions {
  /** The session of this process; who uses it leaves it. */
  use(): Promise<Session>;
}

function createSessions(pool: PostgresLockPool, limit: StepLimit): Sessions {
  let current: { readonly session: Promise<Session>; users: number } | undefined;
  const open = async (leave: () => boolean, forget: () => void): Promise<Session> => {
    const connecting = pool.connect();
    const client = await doStep("a connection to Postgres", limit, () => connecting).catch((error: unknown) => {
      // One that comes too late goes back.
      void connecting.then(
        (late) => late.release(),
        () => undefined,
      );
      throw error;
    });
    const listeners = new Set<(reason: unknown) => void>();
    let isOver = false;
    let latest: Promise<unknown> = Promise.resolve();
    const finish = (destroy: boolean): void => {
      isOver = true;
      client.off("end", end);
      // What a connection says that was given up is of no use, and an error without a listener would end the process.
      if (!destroy) client.off("error", end);
      client.release(destroy);
    };
    const end = (reason?: unknown): void => {
      if (isOver) return;
      forget();
      finish(true);
      for (const listener of listeners) listener(reason ?? storeFailed("the connection to Postgres ended"));
    };
    client.on("error", end);
    client.on("end", end);
    return {
      listeners,
      end,
      ask: (text, values) =>
        doStep("the lock in Postgres", limit, () => {
          // One after the other: clients of pg will not queue them any more.
          const answer = latest.then(async () => {
            if (isOver) throw new Error("the connection ended");
            return (await client.query(text, values)).rows;
          });
          latest = answer.catch(() => {});
          return answer;
        }),
      leave: () => {
        if (leave() && !isOver) {
          forget();
          finish(false);
        }
      },
    };
  };
  return {
    async use() {
      if (current === undefined) {
        const opening: { session: Promise<Session>; users: number } = {
          users: 0,
          session: open(
            () => (opening.users -= 1) === 0,
            () => void (current === opening && (current = undefined)),
          ),
        };
        current = opening;
        opening.session.catch(() => void (current === opening && (current = undefined)));
      }
      current.users += 1;
      return current.session;
    },
  };
}
