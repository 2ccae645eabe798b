import { kindOf } from "@hostside/core/implement";
import type { LockLease } from "../engine/lease-lock.ts";
import type { NamedFencingToken, ValueRemoval, ValueWrite } from "../engine/value-store.ts";
import type { Count } from "../limits/shares.ts";
import type { Query } from "./connect-postgres.ts";

/** Names of the tables, quoted. */
export interface TableNames {
  readonly schema: string | undefined;
  readonly values: string;
  readonly locks: string;
  readonly limits: string;
}

/** Refuses with a `TypeError` a schema that is no text. */
export function tableNames(owner: string, schema: string | undefined): TableNames {
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
 * options. Whoever uses the tables needs SELECT, INSERT, UPDATE and DELETE.
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

/** All that is asked of the tables, each in one statement. Time is that of the server. */
export interface PostgresQueries {
  readonly areThere: () => Query;
  readonly read: (name: string) => Query;
  readonly write: (write: ValueWrite) => Query;
  readonly remove: (removal: ValueRemoval) => Query;
  readonly take: (lease: LockLease) => Query;
  readonly renew: (lease: LockLease) => Query;
  readonly release: (lease: LockLease) => Query;
  /** Each answers `since` of what was taken, or else how many units are `used` and `wait_ms`. */
  readonly takeToken: (count: Count) => Query;
  readonly addUnits: (count: Count, units: number, isBounded: boolean) => Query;
  readonly look: (count: Count) => Query;
  readonly giveBack: (count: Count, since: string) => Query;
  /** Each deletes a bounded number of rows whose time is over. */
  readonly sweeps: readonly Query[];
}

const later = (parameter: string): string => `clock_timestamp() + ${parameter}::bigint * interval '1 millisecond'`;
const mostSwept = 1000;

/** See {@linkcode PostgresQueries}. */
export function postgresQueries({ values, locks, limits }: TableNames): PostgresQueries {
  return {
    areThere: () => ({
      text: "SELECT to_regclass($1) IS NOT NULL AND to_regclass($2) IS NOT NULL AND to_regclass($3) IS NOT NULL AS there",
      values: [values, locks, limits],
    }),
    read: (name) => ({
      text: `SELECT format, value FROM ${values} WHERE name = $1 AND (ends_at IS NULL OR ends_at > clock_timestamp())`,
      values: [name],
    }),
    write: ({ name, json, ttlMs, fencingToken }) => ({
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
    remove: ({ name, fencingToken }) => ({
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

type LockQueries = Pick<PostgresQueries, "take" | "renew" | "release">;

function lockQueries(locks: string): LockQueries {
  return {
    take: ({ fencingTokenName, holder, ttlMs }) => ({
      text: `INSERT INTO ${locks} AS held (name, holder, fencing_token, ends_at) VALUES ($1, $2, ${micros}, ${later("$3")})
ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, fencing_token = greatest(held.fencing_token + 1, excluded.fencing_token), ends_at = excluded.ends_at
  WHERE held.holder = '' OR held.ends_at <= clock_timestamp()
RETURNING fencing_token::text`,
      values: [fencingTokenName, holder, ttlMs],
    }),
    renew: ({ fencingTokenName, holder, ttlMs }) => ({
      text: `UPDATE ${locks} SET ends_at = ${later("$3")} WHERE name = $1 AND holder = $2 RETURNING 1`,
      values: [fencingTokenName, holder, ttlMs],
    }),
    // The row stays, and with it the number.
    release: ({ fencingTokenName, holder }) => ({
      text: `UPDATE ${locks} SET holder = '', ends_at = clock_timestamp() WHERE name = $1 AND holder = $2`,
      values: [fencingTokenName, holder],
    }),
  };
}

type LimitQueries = Pick<PostgresQueries, "takeToken" | "addUnits" | "look" | "giveBack">;

function limitQueries(limits: string): LimitQueries {
  const isOver = "kept.ends_at <= clock_timestamp()";
  const step = "$3::float8 * interval '1 millisecond'";
  // When the bucket is full again; bounded, in case the clock was set back.
  const full = `least(kept.ends_at, clock_timestamp() + $2::float8 * ${step})`;
  const left = (waitMs: string): string => `SELECT used::text, ${waitMs} AS wait_ms FROM ${limits} WHERE name = $1`;
  const endsIn = "extract(epoch FROM ends_at - clock_timestamp()) * 1000";
  const answer = (waitMs: string): string =>
    `SELECT (SELECT since FROM taken)::text AS since, kept.used, kept.wait_ms FROM (SELECT 1) AS one LEFT JOIN (${left(waitMs)}) AS kept ON true`;
  return {
    takeToken: ({ name, limit, stepMs }) => ({
      text: `WITH taken AS (
  INSERT INTO ${limits} AS kept (name, used, since, ends_at) VALUES ($1, 0, ${micros}, clock_timestamp() + ${step})
  ON CONFLICT (name) DO UPDATE SET since = CASE WHEN ${isOver} THEN excluded.since ELSE kept.since END, ends_at = greatest(${full}, clock_timestamp()) + ${step}
    WHERE ${full} <= clock_timestamp() + ($2::float8 - 1) * ${step}
  RETURNING since
)
${answer(`${endsIn} - ($2::float8 - 1) * $3::float8`)}`,
      values: [name, limit, stepMs],
    }),
    addUnits: ({ name, limit, perMs }, units, isBounded) => ({
      text: `WITH taken AS (
  INSERT INTO ${limits} AS kept (name, used, since, ends_at) VALUES ($1, $2::bigint, ${micros}, ${later("$3")})
  ON CONFLICT (name) DO UPDATE SET
    used = CASE WHEN ${isOver} THEN excluded.used ELSE least(kept.used + excluded.used, 9e15)::bigint END,
    since = CASE WHEN ${isOver} THEN excluded.since ELSE kept.since END,
    ends_at = CASE WHEN ${isOver} THEN excluded.ends_at ELSE kept.ends_at END
    WHERE $4::bigint IS NULL OR kept.used < $4::bigint OR ${isOver}
  RETURNING since
)
${answer(endsIn)}`,
      values: [name, units, perMs === undefined ? null : Math.ceil(perMs), isBounded ? limit : null],
    }),
    look: ({ name }) => ({
      text: `${left(endsIn)} AND (ends_at IS NULL OR ends_at > clock_timestamp())`,
      values: [name],
    }),
    giveBack: ({ name, stepMs = 0 }, since) => ({
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
