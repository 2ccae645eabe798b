import { createDeadline, untilAborted } from "@hostside/core/implement";

/** A bound for some work. */
export type TimeLimit = Pick<Parameters<typeof createDeadline>[0], "onTimeout" | "signal" | "timeoutMs">;

/**
 * Does some work within a time. Rejects with what `onTimeout` makes, and with the reason of the
 * signal, whatever the work does then; the signal that the work gets has aborted by then.
 */
export async function withinTime<T>(limit: TimeLimit, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const deadline = createDeadline(limit);
  try {
    return await untilAborted(work(deadline.signal), deadline.signal);
  } finally {
    deadline.dispose();
  }
}
