import type { Clock } from "@hostside/core";

/** What is called of a `Pool` of `pg`, or of anything that asks as it does. */
export interface PostgresLimitPool {
  query(query: PostgresQuery): Promise<LimitPostgresResult>;
}

/** One question. */
export interface PostgresQuery {
  readonly text: string;
  readonly values?: unknown[];
  readonly name?: string;
}

/** Its answer. */
export interface LimitPostgresResult {
  readonly rows: readonly unknown[];
  readonly rowCount: number | null;
}

/** A pool by the time of its database. */
export interface TimedPool {
  readonly client: PostgresLimitPool;
  /** Asks for the time, unless that was done within the last minute. Rejects as the pool does. */
  synchronize(): Promise<void>;
}

const askEveryMs = 60_000;
// Which values of the limiter's queries are times by `Date.now()`.
const timesIn: Readonly<Record<string, readonly number[]>> = {
  "rlflx-upsert": [2, 3],
  "rlflx-get": [1],
  "rlflx-clear-expired": [0],
};

/** The time by which the limiter asks, and which nobody can give it. */
export function limiterNow(): number {
  // oxlint-disable-next-line no-restricted-globals -- what is taken away again is what the limiter has put in
  return Date.now();
}

/**
 * Has the limiter's queries, whose times are those of this machine, go by the clock of the
 * database: so windows end for all replicas at one time, to within half of the time that a query
 * takes, and a clock that jumps on one of them ends nobody's.
 */
export function withDatabaseTime(pool: PostgresLimitPool, clock: Clock): TimedPool {
  /** What to add to the clock, which never jumps. */
  let ahead: number | undefined;
  let askedAt = 0;
  let asking: Promise<void> | undefined;
  const ask = async (): Promise<void> => {
    const sentAt = clock.now();
    const text = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now";
    const [row] = (await pool.query({ text })).rows as readonly { readonly now: number }[];
    const answeredAt = clock.now();
    ahead = Number(row?.now) - (sentAt + answeredAt) / 2;
    askedAt = answeredAt;
    if (!Number.isFinite(ahead)) throw new TypeError("Postgres does not say what time it is");
  };
  /** What to add to the limiter's times at this moment. */
  const shift = (): number => Math.round((ahead ?? 0) + clock.now() - limiterNow());
  return {
    async synchronize() {
      if (ahead !== undefined && Number.isFinite(ahead) && clock.now() - askedAt < askEveryMs) return;
      asking ??= ask();
      try {
        await asking;
      } finally {
        asking = undefined;
      }
    },
    client: {
      async query(query) {
        const places = timesIn[query.name?.split(":")[1] ?? ""];
        if (places === undefined) return pool.query(query);
        const values = query.values?.map((value, place) => (places.includes(place) ? shifted(value, shift()) : value));
        const result = await pool.query({ ...query, ...(values && { values }) });
        const rows = result.rows.map((row) => withLocalTime(row as Row, shift()));
        return { rows, rowCount: result.rowCount };
      },
    },
  };
}

interface Row {
  readonly expire?: string | number | null;
}

function shifted(value: unknown, by: number): unknown {
  if (value === null) return null;
  if (typeof value === "number") return Math.round(value + by);
  throw new TypeError("this version of rate-limiter-flexible asks Postgres in a way that is not known here");
}

function withLocalTime(row: Row, by: number): Row {
  return row.expire === undefined || row.expire === null ? row : { ...row, expire: Number(row.expire) - by };
}
