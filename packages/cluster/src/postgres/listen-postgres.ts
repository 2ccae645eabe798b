import type { NoticeConnection, NoticeListener } from "../engine/notices.ts";
import type { PostgresClient, PostgresNotice, PostgresPool } from "./connect-postgres.ts";

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
  return { ping: () => client.query("SELECT 1"), close };
}
