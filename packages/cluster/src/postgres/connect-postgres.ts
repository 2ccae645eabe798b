import { kindOf, untilAborted } from "@hostside/core/implement";
import type { NoticeConnection, NoticeListener } from "../engine/notices.ts";

/** A pool of `pg`, as far as it is used. */
export interface PostgresPool {
  connect(): Promise<PostgresClient>;
}

/** A client of a {@linkcode PostgresPool}. */
export interface PostgresClient {
  query(text: string, values?: readonly unknown[]): Promise<PostgresResult | readonly PostgresResult[]>;
  /** Back to the pool; with `true`, its connection ends. */
  release(destroy?: boolean): void;
  on(event: "error" | "end", listener: (error?: Error) => void): unknown;
  on(event: "notification", listener: (notice: PostgresNotice) => void): unknown;
  off(event: "error" | "end", listener: (error?: Error) => void): unknown;
  off(event: "notification", listener: (notice: PostgresNotice) => void): unknown;
}

/** A notification on a channel. */
export interface PostgresNotice {
  readonly channel: string;
  readonly payload?: string | undefined;
}

/** The result of a query. */
export interface PostgresResult {
  readonly rows: readonly unknown[];
}

/** A row, whose columns are read one by one. */
export type Row = Readonly<Record<string, unknown>>;

/** A question to Postgres. */
export interface Query {
  readonly text: string;
  readonly values?: readonly unknown[];
}

/** Refuses with a `TypeError` what is no pool. */
export function assertPool(what: string, pool: unknown): void {
  if (typeof pool === "object" && pool !== null && typeof Reflect.get(pool, "connect") === "function") return;
  throw new TypeError(`${what} must be a Pool of pg, with a method connect(), not ${kindOf(pool)}`);
}

/**
 * Asks on a connection of the pool, which goes back. A connection that does not answer in time is
 * ended, so that the pool can replace it.
 */
export async function queryPool(pool: PostgresPool, query: Query, signal?: AbortSignal): Promise<readonly Row[]> {
  const client = await takeClient(pool, signal);
  let isOver = false;
  const giveBack = (destroy: boolean): void => {
    if (isOver) return;
    isOver = true;
    signal?.removeEventListener("abort", end);
    // What a connection says that was given up is of no use, and an error without a listener would
    // end the process.
    if (!destroy) client.off("error", ignore);
    client.release(destroy);
  };
  const end = (): void => giveBack(true);
  client.on("error", ignore);
  signal?.addEventListener("abort", end, { once: true });
  try {
    const rows = await ask(client, query);
    giveBack(false);
    return rows;
  } catch (error) {
    giveBack(!isAnswer(error));
    throw error;
  }
}

/**
 * Refusals of a transaction that ran beside another one; nothing was done, and the same can be
 * asked again.
 */
const again: ReadonlySet<unknown> = new Set(["40001", "40P01"]);
const mostTries = 5;

async function ask(client: PostgresClient, { text, values }: Query): Promise<readonly Row[]> {
  for (let tries = 1; ; tries += 1) {
    try {
      const result = await client.query(text, values);
      return ("rows" in result ? result.rows : []) as readonly Row[]; // Our own queries say which columns there are.
    } catch (error) {
      if (tries === mostTries || !again.has(stateOf(error))) throw error;
    }
  }
}

async function takeClient(pool: PostgresPool, signal: AbortSignal | undefined): Promise<PostgresClient> {
  const connecting = (async () => pool.connect())();
  try {
    return await (signal === undefined ? connecting : untilAborted(connecting, signal));
  } catch (error) {
    // One that comes too late goes back.
    if (signal?.aborted === true) connecting.then((late) => late.release(), ignore);
    throw error;
  }
}

function ignore(): void {}

/** The code that Postgres gives its errors, of five letters and digits. */
export function stateOf(error: unknown): string | undefined {
  const code: unknown = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" && /^(?=.*\d)[0-9A-Z]{5}$/.test(code) ? code : undefined;
}

/**
 * Tells if an error is an answer of a Postgres that works. Errors of a connection, of missing
 * resources, and of a Postgres that stops or starts are none.
 */
export function isAnswer(error: unknown): boolean {
  return /^(?!08|53|57|58)/.test(stateOf(error) ?? "08");
}

/**
 * Listens to a channel on a client of the pool, which is kept until the line is closed, and whose
 * connection then ends.
 */
export async function listenPostgres(
  pool: PostgresPool,
  channel: string,
  { listener, signal }: { readonly listener: NoticeListener; readonly signal: AbortSignal },
): Promise<NoticeConnection> {
  const client: PostgresClient = await pool.connect();
  let isOver = false;
  const close = (): void => {
    if (isOver) return;
    isOver = true;
    client.off("notification", hear);
    client.off("end", end);
    // Its listener for errors stays: without one, an error would end the process. It listens, so
    // nobody else can have it.
    client.release(true);
  };
  const end = (reason?: Error): void => {
    if (isOver) return;
    close();
    listener.onEnd(reason ?? new Error("the connection ended"));
  };
  const hear = (notice: PostgresNotice): void => {
    if (notice.channel === channel) listener.onText(notice.payload ?? "");
  };
  if (signal.aborted) close();
  signal.addEventListener("abort", close, { once: true });
  client.on("error", end);
  client.on("end", end);
  client.on("notification", hear);
  try {
    if (!isOver) await client.query(`LISTEN "${channel.replaceAll('"', '""')}"`);
  } catch (error) {
    close();
    throw error;
  }
  return { ping: () => client.query("SELECT 1") };
}
