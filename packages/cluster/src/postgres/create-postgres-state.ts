import { clock, assertKnownOptions, kindOf, type Fields } from "@hostside/core/implement";
import { hashText } from "../engine/engine-name.ts";
import type { LockLease } from "../engine/lease-lock.ts";
import type { NamedFencingToken, ValueRemoval, ValueWrite, WriteAnswer } from "../engine/value-store.ts";
import type { Count, Full } from "../limits/create-limit-store.ts";
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
import { createSharedState, readSharedStateOptions, sharedStateFields } from "../state/create-shared-state.ts";
import type { SharedState, SharedStateOptions } from "../state/shared-state.ts";

/** Options of {@linkcode createPostgresState}. */
export interface PostgresStateOptions extends SharedStateOptions {
  /** The schema of the tables. Default: as the pool's `search_path` has it. */
  readonly schema?: string | undefined;
  /**
   * For the connection that LISTENs, where `pool` goes through a pooler that shares sessions
   * (PgBouncer in transaction mode): one that goes to Postgres itself. Default: `pool`.
   */
  readonly listenPool?: PostgresPool | undefined;
}

const optionFields: Fields<PostgresStateOptions> = {
  ...sharedStateFields,
  schema: true,
  listenPool: true,
};

/**
 * A shared state over Postgres 12 or later, in two tables, by a pool that the product made and
 * ends. Asks nothing before it is used. Every request takes a client of the pool for one statement;
 * from the first subscription to the last, one client listens: leave room for it. Rows whose time
 * is over are deleted now and then, by whoever writes.
 *
 * Throws a `TypeError` for what is no pool of `pg`, and for options that are unknown or wrong.
 *
 * @example
 * await using state = createPostgresState(pool); // a `Pool` of `pg`
 * const host = await createHost({ config: "mcp.json", state });
 */
export function createPostgresState(pool: PostgresPool, options: PostgresStateOptions = {}): SharedState {
  const owner = "createPostgresState()";
  assertKnownOptions(owner, options, optionFields);
  const { schema, listenPool = pool } = options;
  assertPool(`${owner}: the pool`, pool);
  assertPool(`${owner}: listenPool`, listenPool);
  const settings = readSharedStateOptions(owner, options);
  const names = tableNames(owner, schema);
  const queries = postgresQueries(names);
  const sweeper = createSweeper(pool, queries.sweeps);
  const made = { areThere: queries.areThere(), sql: postgresTables(schema) };
  let preparing: Promise<void> | undefined;
  // Once for all who ask; a failure is forgotten, and tried again by the next one.
  const prepare = (signal: AbortSignal | undefined): Promise<void> =>
    (preparing ??= makeTables(pool, made, signal).catch((error: unknown) => {
      preparing = undefined;
      throw error;
    }));
  const ask = async (query: Query, signal?: AbortSignal): Promise<readonly Row[]> => {
    await prepare(signal);
    return queryPool(pool, query, signal);
  };
  const change = async (query: Query, refused: WriteAnswer, signal: AbortSignal): Promise<WriteAnswer> => {
    const [row] = await ask(query, signal);
    sweeper.sweep();
    if (row?.["held"] === true) return row["done"] === true ? "done" : refused;
    return row?.["held"] === false ? "outdated" : "unknown-lock";
  };
  const channel = channelOf(settings.prefix, schema);
  return createSharedState(
    {
      name: "Postgres",
      isAnswer,
      values: {
        async get(name, signal) {
          const [row] = await ask(queries.read(name), signal);
          return row === undefined ? undefined : { format: Number(row["format"]), json: String(row["value"]) };
        },
        set: (write, signal) => change(queries.write(write), "later-format", signal),
        delete: (removal, signal) => change(queries.remove(removal), "nothing-there", signal),
      },
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
          queryPool(pool, { text: "SELECT pg_notify($1, $2)", values: [channel, text] }, signal),
        listen: async (listener, signal) => listenPostgres(listenPool, channel, { listener, signal }),
      },
      counts: {
        async take(count, signal) {
          const query = count.stepMs === undefined ? queries.takeCall(count) : queries.takeToken(count);
          const [row] = await ask(query, signal);
          return typeof row?.["since"] === "string" ? { since: row["since"] } : fullBy(row, count);
        },
        giveBack: (count, since, signal) => ask(queries.giveBack(count, since), signal),
      },
      close: () => sweeper.close(),
    },
    settings,
  );
}

function fullBy(row: Row | undefined, { limit, stepMs, perMs }: Count): Full {
  const isForever = stepMs === undefined && perMs === undefined;
  const retryAfterMs = isForever ? undefined : Math.max(1, Math.ceil(Number(row?.["wait_ms"] ?? 0)));
  return { used: stepMs === undefined ? Number(row?.["used"] ?? limit) : limit, retryAfterMs };
}

/**
 * For all who make tables at once: "hostside" in hexadecimal digits. Two who make the same one at
 * the same moment would fail.
 */
const makersLock = "x'746f6f6c706f7274'::bit(64)::bigint";

/** Makes the tables, unless they are there: a role that may not make tables may use them. */
async function makeTables(
  pool: PostgresPool,
  { areThere, sql }: { readonly areThere: Query; readonly sql: string },
  signal: AbortSignal | undefined,
): Promise<void> {
  // Several statements in one text are one transaction.
  const text = `SELECT pg_advisory_xact_lock(${makersLock});\n${sql}`;
  try {
    const [row] = await queryPool(pool, areThere, signal);
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
function channelOf(prefix: string, schema: string | undefined): string {
  const name = JSON.stringify(`${schema === undefined ? "" : `${schema}.`}${prefix}notices`).slice(1, -1);
  if (new TextEncoder().encode(name).length <= longestChannel) return name;
  return `hostside:${hashText(name).slice(0, 40)}`;
}

const sweepEveryMs = 60_000;

/**
 * Deletes rows whose time is over, unless that was done a short while ago. A failure is tried again
 * the next time.
 */
function createSweeper(pool: PostgresPool, sweeps: readonly Query[]) {
  let lastAt = Number.NEGATIVE_INFINITY;
  let running: Promise<unknown> = Promise.resolve();
  const run = async (): Promise<void> => {
    for (const query of sweeps) await queryPool(pool, query);
  };
  return {
    sweep(): void {
      if (clock.now() - lastAt < sweepEveryMs) return;
      lastAt = clock.now();
      running = run().catch(() => {});
    },
    close(): Promise<unknown> {
      lastAt = Number.POSITIVE_INFINITY;
      return running;
    },
  };
}

/** Names of the tables, quoted. */
interface TableNames {
  readonly schema: string | undefined;
  readonly values: string;
  readonly locks: string;
  readonly limits: string;
}

/** Refuses with a `TypeError` a schema that is no text. */
function tableNames(owner: string, schema: string | undefined): TableNames {
  if (schema !== undefined && (typeof schema !== "string" || schema === "" || schema.includes("\u0000")))
    throw new TypeError(`${owner}: schema must be the name of one, not ${schema === "" ? '""' : kindOf(schema)}`);
  const inSchema = (table: string): string => (schema === undefined ? table : `${quoteName(schema)}.${table}`);
  return {
    schema,
    values: inSchema("hostside_values"),
    locks: inSchema("hostside_locks"),
    limits: inSchema("hostside_limits"),
  };
}

function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/**
 * The SQL that makes the tables of {@linkcode createPostgresState}, for who makes them by hand:
 * with migrations, or because the product's role may not. Can be run again. `schema` as in the
 * options. The role that uses the tables needs SELECT, INSERT, UPDATE and DELETE.
 *
 * @example
 * await pool.query(postgresTables("agent")); // in a migration
 * const state = createPostgresState(pool, { schema: "agent" });
 */
export function postgresTables(schema?: string): string {
  const names = tableNames("postgresTables()", schema);
  const made = names.schema === undefined ? "" : `CREATE SCHEMA IF NOT EXISTS ${quoteName(names.schema)};\n`;
  return `${made}CREATE TABLE IF NOT EXISTS ${names.values} (
  name text COLLATE "C" PRIMARY KEY,
  format integer NOT NULL,
  value text NOT NULL,
  ends_at timestamptz
);
CREATE INDEX IF NOT EXISTS hostside_values_ends_at ON ${names.values} (ends_at) WHERE ends_at IS NOT NULL;
CREATE TABLE IF NOT EXISTS ${names.locks} (
  name text COLLATE "C" PRIMARY KEY,
  holder text NOT NULL,
  fencing_token bigint NOT NULL,
  ends_at timestamptz NOT NULL
);
CREATE INDEX IF NOT EXISTS hostside_locks_ends_at ON ${names.locks} (ends_at);
CREATE TABLE IF NOT EXISTS ${names.limits} (
  name text COLLATE "C" PRIMARY KEY,
  used bigint NOT NULL,
  since bigint NOT NULL,
  ends_at timestamptz
);
CREATE INDEX IF NOT EXISTS hostside_limits_ends_at ON ${names.limits} (ends_at) WHERE ends_at IS NOT NULL;
`;
}

const later = (parameter: string): string => `clock_timestamp() + ${parameter}::bigint * interval '1 millisecond'`;
const mostSwept = 1000;

/** All that is asked of the tables, each in one statement. Time is that of the server. */
function postgresQueries({ values, locks, limits }: TableNames) {
  return {
    areThere: (): Query => ({
      text: "SELECT to_regclass($1) IS NOT NULL AND to_regclass($2) IS NOT NULL AND to_regclass($3) IS NOT NULL AS there",
      values: [values, locks, limits],
    }),
    read: (name: string): Query => ({
      text: `SELECT format, value FROM ${values} WHERE name = $1 AND (ends_at IS NULL OR ends_at > clock_timestamp())`,
      values: [name],
    }),
    write: ({ name, json, ttlMs, fencingToken }: ValueWrite): Query => ({
      // The row of the lock stays locked until the value is there: nobody gets the lock between the
      // check and the write.
      text: `${withHolder(locks, fencingToken, ["$4", "$5"])},
written AS (
  INSERT INTO ${values} AS kept (name, format, value, ends_at) SELECT $1, 1, $2, ${later("$3")} FROM holder WHERE is_latest
  ON CONFLICT (name) DO UPDATE SET format = excluded.format, value = excluded.value, ends_at = excluded.ends_at
    WHERE kept.format <= 1 OR kept.ends_at <= clock_timestamp()
  RETURNING 1
)
SELECT (SELECT is_latest FROM holder) AS held, EXISTS (SELECT FROM written) AS done`,
      values: [name, json, ttlMs ?? null, ...partsOf(fencingToken)],
    }),
    remove: ({ name, fencingToken }: ValueRemoval): Query => ({
      text: `${withHolder(locks, fencingToken, ["$2", "$3"])},
removed AS (
  DELETE FROM ${values} WHERE name = $1 AND (SELECT is_latest FROM holder)
  RETURNING ends_at IS NULL OR ends_at > clock_timestamp() AS was_there
)
SELECT (SELECT is_latest FROM holder) AS held, coalesce((SELECT was_there FROM removed), false) AS done`,
      values: [name, ...partsOf(fencingToken)],
    }),
    ...lockQueries(locks),
    ...limitQueries(limits),
    sweeps: [
      sweep(values, "ends_at <= now()"),
      sweep(limits, "ends_at <= now()"),
      // Long after whoever could still write with the fencing token: numbers begin at the time, so
      // that those to come are larger all the same.
      sweep(locks, "ends_at <= now() - interval '2 days'"),
    ],
  };
}

const micros = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint";

function lockQueries(locks: string) {
  return {
    take: ({ fencingTokenName, holder, ttlMs }: LockLease): Query => ({
      text: `INSERT INTO ${locks} AS held (name, holder, fencing_token, ends_at) VALUES ($1, $2, ${micros}, ${later("$3")})
ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, fencing_token = greatest(held.fencing_token + 1, excluded.fencing_token), ends_at = excluded.ends_at
  WHERE held.holder = '' OR held.ends_at <= clock_timestamp()
RETURNING fencing_token::text`,
      values: [fencingTokenName, holder, ttlMs],
    }),
    renew: ({ fencingTokenName, holder, ttlMs }: LockLease): Query => ({
      text: `UPDATE ${locks} SET ends_at = ${later("$3")} WHERE name = $1 AND holder = $2 RETURNING 1`,
      values: [fencingTokenName, holder, ttlMs],
    }),
    // The row stays, and with it the number.
    release: ({ fencingTokenName, holder }: LockLease): Query => ({
      text: `UPDATE ${locks} SET holder = '', ends_at = clock_timestamp() WHERE name = $1 AND holder = $2`,
      values: [fencingTokenName, holder],
    }),
  };
}

/** Each answers `since` of what was taken, or else how many calls are `used` and `wait_ms`. */
function limitQueries(limits: string) {
  const isOver = "kept.ends_at <= clock_timestamp()";
  const step = "$3::float8 * interval '1 millisecond'";
  // When the bucket is full again; bounded, in case the clock was set back.
  const full = `least(kept.ends_at, clock_timestamp() + $2::float8 * ${step})`;
  const endsIn = "extract(epoch FROM ends_at - clock_timestamp()) * 1000";
  const answer = (waitMs: string): string =>
    `SELECT (SELECT since FROM taken)::text AS since, kept.used, kept.wait_ms FROM (SELECT 1) AS one LEFT JOIN (SELECT used::text, ${waitMs} AS wait_ms FROM ${limits} WHERE name = $1) AS kept ON true`;
  return {
    takeToken: ({ name, limit, stepMs }: Count): Query => ({
      text: `WITH taken AS (
  INSERT INTO ${limits} AS kept (name, used, since, ends_at) VALUES ($1, 0, ${micros}, clock_timestamp() + ${step})
  ON CONFLICT (name) DO UPDATE SET since = CASE WHEN ${isOver} THEN excluded.since ELSE kept.since END, ends_at = greatest(${full}, clock_timestamp()) + ${step}
    WHERE ${full} <= clock_timestamp() + ($2::float8 - 1) * ${step}
  RETURNING since
)
${answer(`${endsIn} - ($2::float8 - 1) * $3::float8`)}`,
      values: [name, limit, stepMs],
    }),
    takeCall: ({ name, limit, perMs }: Count): Query => ({
      text: `WITH taken AS (
  INSERT INTO ${limits} AS kept (name, used, since, ends_at) VALUES ($1, 1, ${micros}, ${later("$2")})
  ON CONFLICT (name) DO UPDATE SET
    used = CASE WHEN ${isOver} THEN excluded.used ELSE kept.used + 1 END,
    since = CASE WHEN ${isOver} THEN excluded.since ELSE kept.since END,
    ends_at = CASE WHEN ${isOver} THEN excluded.ends_at ELSE kept.ends_at END
    WHERE kept.used < $3::bigint OR ${isOver}
  RETURNING since
)
${answer(endsIn)}`,
      values: [name, perMs === undefined ? null : Math.ceil(perMs), limit],
    }),
    giveBack: ({ name, stepMs = 0 }: Count, since: string): Query => ({
      text: `UPDATE ${limits} SET used = greatest(used - 1, 0), ends_at = ends_at - ${step} WHERE name = $1 AND since = $2::bigint`,
      values: [name, since, stepMs],
    }),
  };
}

function withHolder(
  locks: string,
  fencingToken: NamedFencingToken | undefined,
  [name, number]: readonly [string, string],
): string {
  return fencingToken === undefined
    ? "WITH holder AS MATERIALIZED (SELECT true AS is_latest)"
    : `WITH holder AS MATERIALIZED (SELECT fencing_token = ${number}::bigint AS is_latest FROM ${locks} WHERE name = ${name} FOR SHARE)`;
}

function partsOf(fencingToken: NamedFencingToken | undefined): readonly unknown[] {
  return fencingToken === undefined ? [] : [fencingToken.name, fencingToken.number];
}

function sweep(table: string, condition: string): Query {
  const text = `DELETE FROM ${table} WHERE name IN (SELECT name FROM ${table} WHERE ${condition} LIMIT ${mostSwept} FOR UPDATE SKIP LOCKED)`;
  return { text };
}
