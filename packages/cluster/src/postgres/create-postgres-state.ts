import { clock, assertKnownOptions, type Fields } from "@hostside/core/implement";
import type { EngineClient } from "../engine/engine-client.ts";
import { hashText } from "../engine/engine-name.ts";
import type { ValueEngine, WriteAnswer } from "../engine/value-store.ts";
import type { Count, CountingEngine, Full, Taken } from "../limits/shares.ts";
import {
  assertPool,
  isAnswer,
  queryPool,
  stateOf,
  type PostgresPool,
  type Query,
  type Row,
  listenPostgres,
} from "./connect-postgres.ts";
import { postgresQueries, type PostgresQueries, postgresTables, tableNames } from "./postgres-queries.ts";
import { createSharedState, readSharedStateOptions, sharedStateFields } from "../state/create-shared-state.ts";
import type { SharedState, SharedStateOptions } from "../state/shared-state.ts";

/** Options of {@linkcode createPostgresState}. */
export interface PostgresStateOptions extends SharedStateOptions {
  /** Where the tables are. Default: as the pool's `search_path` has it. */
  readonly schema?: string | undefined;
  /**
   * Whether missing tables are made, when they are first used. Default true; false for who makes
   * them by {@linkcode postgresTables}.
   */
  readonly createTables?: boolean | undefined;
  /**
   * For the connection that LISTENs, where `pool` goes through a pooler that shares sessions
   * (PgBouncer in transaction mode): one that goes to Postgres itself. Default: `pool`.
   */
  readonly listenPool?: PostgresPool | undefined;
}

const optionFields: Fields<PostgresStateOptions> = {
  ...sharedStateFields,
  schema: true,
  createTables: true,
  listenPool: true,
};

/**
 * A shared state over Postgres 12 or later, in two tables, by a pool that the product made and
 * ends. Asks nothing before it is used. Every request takes a client of the pool for one statement;
 * from the first subscription to the last, one client listens: leave room for it. Rows whose time
 * is over are deleted now and then, by whoever writes.
 *
 * Throws a `TypeError` for what is no pool of `pg`, and for options that are unknown or wrong.
 */
export function createPostgresState(pool: PostgresPool, options: PostgresStateOptions = {}): SharedState {
  const owner = "createPostgresState()";
  assertKnownOptions(owner, options, optionFields);
  const { schema, createTables = true, listenPool = pool } = options;
  assertPool(`${owner}: the pool`, pool);
  assertPool(`${owner}: listenPool`, listenPool);
  if (typeof createTables !== "boolean") throw new TypeError(`${owner}: createTables must be true or false`);
  const settings = readSharedStateOptions(owner, options);
  const names = tableNames(owner, schema);
  const queries = postgresQueries(names);
  const sweeper = createSweeper(pool, { queries });
  const prepare = createTables ? createOnce((signal) => makeTables(pool, queries, { schema, signal })) : async () => {};
  const ask = async (query: Query, signal?: AbortSignal): Promise<readonly Row[]> => {
    await prepare(signal);
    return queryPool(pool, query, signal);
  };
  const channel = createOnce(() => channelOf(settings.prefix, schema));
  return createSharedState(
    {
      name: "Postgres",
      isAnswer,
      values: (client) => postgresValues({ ask, client, queries, sweep: sweeper.sweep }),
      leases: {
        async take(lease, signal) {
          const [row] = await ask(queries.take(lease), signal);
          return row === undefined ? undefined : Number(row["fencing_token"]);
        },
        renew: async (lease, signal) => (await ask(queries.renew(lease), signal)).length > 0,
        release: (lease, signal) => ask(queries.release(lease), signal),
      },
      notices: {
        send: async (text, signal) =>
          queryPool(pool, { text: "SELECT pg_notify($1, $2)", values: [await channel(), text] }, signal),
        listen: async (listener, signal) => listenPostgres(listenPool, await channel(), { listener, signal }),
      },
      counts: postgresCounts(ask, queries),
      close: () => sweeper.close(),
    },
    settings,
  );
}

interface PostgresParts {
  readonly ask: (query: Query, signal: AbortSignal) => Promise<readonly Row[]>;
  readonly client: EngineClient;
  readonly queries: PostgresQueries;
  readonly sweep: () => void;
}

function postgresValues({ ask, client, queries, sweep }: PostgresParts): ValueEngine {
  const change = async (what: string, query: Query, refused: WriteAnswer): Promise<WriteAnswer> => {
    const [row] = await client.ask({ what, effect: "write", send: (signal) => ask(query, signal) });
    sweep();
    if (row?.["held"] === true) return row["done"] === true ? "done" : refused;
    return row?.["held"] === false ? "outdated" : "unknown-lock";
  };
  return {
    async get(name, what) {
      const [row] = await client.ask({ what, effect: "read", send: (signal) => ask(queries.read(name), signal) });
      return row === undefined ? undefined : { format: Number(row["format"]), json: String(row["value"]) };
    },
    set: (write, what) => change(what, queries.write(write), "later-format"),
    delete: (removal, what) => change(what, queries.remove(removal), "nothing-there"),
  };
}

function postgresCounts(ask: PostgresParts["ask"], queries: PostgresQueries): CountingEngine {
  const fullBy = (row: Row | undefined, { limit, stepMs, perMs }: Count): Full => {
    const isForever = stepMs === undefined && perMs === undefined;
    const retryAfterMs = isForever ? undefined : Math.max(1, Math.ceil(Number(row?.["wait_ms"] ?? 0)));
    return { used: stepMs === undefined ? Number(row?.["used"] ?? limit) : limit, retryAfterMs };
  };
  return {
    async take(count, signal): Promise<Taken | Full> {
      const query = count.stepMs === undefined ? queries.addUnits(count, 1, true) : queries.takeToken(count);
      const [row] = await ask(query, signal);
      return typeof row?.["since"] === "string" ? { since: row["since"] } : fullBy(row, count);
    },
    giveBack: (count, since, signal) => ask(queries.giveBack(count, since), signal),
    async look(count, signal) {
      const [row] = await ask(queries.look(count), signal);
      return row !== undefined && Number(row["used"]) >= count.limit ? fullBy(row, count) : undefined;
    },
    add: (count, units, signal) => ask(queries.addUnits(count, units, false), signal),
  };
}

/** One for all who ask; a failure is forgotten, and tried again by the next one. */
function createOnce<T>(make: (signal?: AbortSignal) => Promise<T>): (signal?: AbortSignal) => Promise<T> {
  let made: Promise<T> | undefined;
  return async (signal) => {
    const own = (made ??= make(signal));
    try {
      return await own;
    } catch (error) {
      if (made === own) made = undefined;
      throw error;
    }
  };
}

interface Making {
  readonly schema: string | undefined;
  readonly signal: AbortSignal | undefined;
}

/**
 * For all who make tables at once: "hostside" in hexadecimal digits. Two who make the same one at
 * the same moment would fail.
 */
const makersLock = "x'746f6f6c706f7274'::bit(64)::bigint";

async function makeTables(pool: PostgresPool, queries: PostgresQueries, { schema, signal }: Making): Promise<void> {
  // Several statements in one text are one transaction.
  const text = `SELECT pg_advisory_xact_lock(${makersLock});\n${postgresTables(schema)}`;
  try {
    // Who may not make tables may use those that are there.
    const [row] = await queryPool(pool, queries.areThere(), signal);
    if (row?.["there"] === true) return;
    await queryPool(pool, { text }, signal);
  } catch (error) {
    if (!isAnswer(error)) throw error;
    const said = error instanceof Error ? error.message : String(error);
    const code = stateOf(error);
    throw Object.assign(new Error(`its tables cannot be made (postgresTables() has the SQL): ${said}`), { code });
  }
}

const longestChannel = 60;

/** Names have 63 bytes, and what is longer is cut. */
async function channelOf(prefix: string, schema: string | undefined): Promise<string> {
  const name = JSON.stringify(`${schema === undefined ? "" : `${schema}.`}${prefix}notices`).slice(1, -1);
  if (new TextEncoder().encode(name).length <= longestChannel) return name;
  return `hostside:${(await hashText(name, "SHA-256")).slice(0, 40)}`;
}

const sweepEveryMs = 60_000;

interface Sweeping {
  readonly queries: PostgresQueries;
}

interface Sweeper {
  /**
   * Deletes what is over, if that was not done a short while ago. What goes wrong is done the next
   * time.
   */
  readonly sweep: () => void;
  close(): Promise<unknown>;
}

function createSweeper(pool: PostgresPool, { queries }: Sweeping): Sweeper {
  let lastAt = Number.NEGATIVE_INFINITY;
  let isClosed = false;
  let running: Promise<unknown> = Promise.resolve();
  const run = async (): Promise<void> => {
    for (const query of queries.sweeps) await queryPool(pool, query);
  };
  return {
    sweep() {
      if (isClosed || clock.now() - lastAt < sweepEveryMs) return;
      lastAt = clock.now();
      running = run().catch(() => {});
    },
    close() {
      isClosed = true;
      return running;
    },
  };
}
