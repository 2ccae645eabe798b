import { kindOf } from "@hostside/core/implement";

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
